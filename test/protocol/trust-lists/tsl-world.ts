import type { TestCertificate } from '../issuer-keys/certificates.js'
import { authority } from './world.js'

const TSL = 'http://uri.etsi.org/02231/v2#'
export const EAA = 'http://uri.etsi.org/TrstSvc/Svctype/EAA/Q'
export const GRANTED = 'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/granted'
export const WITHDRAWN = 'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/withdrawn'

export const issuer = authority('C=EU/Issuing authority')

interface Service {
  readonly type?: string
  readonly status?: string
  readonly certificates?: readonly (TestCertificate | string)[]
  readonly extensions?: string
  /** Since when the service has its state. */
  readonly since?: string
}

export const serviceXml = ({
  type = EAA,
  status = GRANTED,
  certificates = [issuer],
  extensions = '',
  since = '2026-03-01T00:00:00Z',
}: Service = {}) => `
  <TSPService>
    <ServiceInformation>
      <ServiceTypeIdentifier>${type}</ServiceTypeIdentifier>
      <ServiceName><Name xml:lang="en">Attestations</Name></ServiceName>
      <ServiceDigitalIdentity>
        <DigitalId><X509SubjectName>CN=Anybody</X509SubjectName></DigitalId>
        ${certificates
          .map(
            (one) =>
              `<DigitalId><X509Certificate>${typeof one === 'string' ? one : one.x5c}</X509Certificate></DigitalId>`,
          )
          .join('')}
      </ServiceDigitalIdentity>
      <ServiceStatus>${status}</ServiceStatus>
      <StatusStartingTime>${since}</StatusStartingTime>${extensions}
    </ServiceInformation>
  </TSPService>`

export const providerXml = (name: string, services = serviceXml()) => `
  <TrustServiceProvider>
    <TSPInformation><TSPName><Name xml:lang="en">${name}</Name></TSPName></TSPInformation>
    <TSPServices>${services}</TSPServices>
  </TrustServiceProvider>`

interface List {
  readonly version?: string
  readonly nextUpdate?: string
  readonly more?: string
  readonly issued?: string
  readonly sequence?: string
  readonly root?: string
}

/** A trusted list of TS 119 612 with a namespace that it does not use, as real lists have. */
export const tslXml = (
  providers = providerXml('Ministry'),
  {
    version = '6',
    nextUpdate = '<dateTime>2026-08-01T00:00:00Z</dateTime>',
    more = '',
    issued = '2026-05-01T00:00:00Z',
    sequence = '42',
    root = 'TrustServiceStatusList',
  }: List = {},
) => `<?xml version="1.0" encoding="UTF-8"?>
<${root} xmlns="${TSL}" xmlns:unused="urn:unused" TSLTag="http://uri.etsi.org/19612/TSLTag" Id="list">
  <SchemeInformation>
    <TSLVersionIdentifier>${version}</TSLVersionIdentifier>
    <TSLSequenceNumber>${sequence}</TSLSequenceNumber>
    <TSLType>http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUgeneric</TSLType>
    <SchemeOperatorName><Name xml:lang="en">Operator &amp; Sons</Name><Name xml:lang="de">Betreiber</Name></SchemeOperatorName>
    <SchemeTerritory>EU</SchemeTerritory>
    <ListIssueDateTime>${issued}</ListIssueDateTime>
    <NextUpdate>${nextUpdate}</NextUpdate>${more}
  </SchemeInformation>
  <TrustServiceProviderList>${providers}</TrustServiceProviderList>
</${root}>`
