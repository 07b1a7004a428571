import type { TestCertificate } from '../../protocol/issuer-keys/certificates.js'

const TSL = 'http://uri.etsi.org/02231/v2#'
const EXTENSIONS = 'http://uri.etsi.org/TrstSvc/SvcInfoExt/eSigDir-1999-93-EC-TrustedList/#'
const STATUS = 'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus'
const TYPE = 'http://uri.etsi.org/TrstSvc/Svctype'

/** The authorities that a list names, by what the list says about them. */
export interface Authorities {
  /** Granted again, after a withdrawal. */
  readonly granted: TestCertificate
  /** Granted once, and withdrawn now. */
  readonly withdrawn: TestCertificate
  /** Granted from a time in the future on. */
  readonly later: TestCertificate
  /** In a state that the standard does not define. */
  readonly unknown: TestCertificate
  /** Granted for certificates of persons. */
  readonly persons: TestCertificate
}

export interface Issue {
  readonly version?: 5 | 6
  readonly sequence?: number
  /** Milliseconds from `now`. */
  readonly issued?: number
  readonly nextUpdate?: number
}

const DAY = 86_400_000

const time = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`

const names = (element: string, texts: Readonly<Record<string, string>>) =>
  `<${element}>${Object.entries(texts)
    .map(([lang, text]) => `<Name xml:lang="${lang}">${text}</Name>`)
    .join('')}</${element}>`

const uris = (element: string, uri: string) =>
  `<${element}><URI xml:lang="en">${uri}</URI><URI xml:lang="sk">${uri}/sk</URI></${element}>`

const address = (element: string) => `<${element}>
      <PostalAddresses>
        <PostalAddress xml:lang="en">
          <StreetAddress>Budatínska 30</StreetAddress><Locality>Bratislava</Locality>
          <PostalCode>851 06</PostalCode><CountryName>SK</CountryName>
        </PostalAddress>
      </PostalAddresses>
      <ElectronicAddress>
        <URI xml:lang="en">mailto:trust@authority.example</URI><URI xml:lang="en">https://authority.example/</URI>
      </ElectronicAddress>
    </${element}>`

const identity = ({ x5c, subject }: TestCertificate) => `<ServiceDigitalIdentity>
          <DigitalId><X509Certificate>${x5c.replace(/.{76}/g, '$&\n')}</X509Certificate></DigitalId>
          <DigitalId><X509SubjectName>CN=${subject}</X509SubjectName></DigitalId>
        </ServiceDigitalIdentity>`

interface Service {
  readonly type: string
  readonly name: string
  readonly by: TestCertificate
  readonly status: string
  readonly since: number
  readonly extensions?: string
  /** Earlier states: the state and its start. */
  readonly history?: readonly (readonly [status: string, since: number])[]
}

const service = ({ type, name, by, status, since, extensions = '', history = [] }: Service) => `
      <TSPService>
        <ServiceInformation>
          <ServiceTypeIdentifier>${TYPE}/${type}</ServiceTypeIdentifier>
          ${names('ServiceName', { en: name, sk: `Služba ${name}` })}
          ${identity(by)}
          <ServiceStatus>${STATUS}/${status}</ServiceStatus>
          <StatusStartingTime>${time(since)}</StatusStartingTime>
          ${uris('SchemeServiceDefinitionURI', 'https://authority.example/services')}${extensions}
        </ServiceInformation>${
          history.length === 0
            ? ''
            : `
        <ServiceHistory>${history
          .map(
            ([before, start]) => `
          <ServiceHistoryInstance>
            <ServiceTypeIdentifier>${TYPE}/${type}</ServiceTypeIdentifier>
            ${names('ServiceName', { en: name })}
            <ServiceDigitalIdentity><DigitalId><X509SubjectName>CN=${by.subject}</X509SubjectName></DigitalId></ServiceDigitalIdentity>
            <ServiceStatus>${STATUS}/${before}</ServiceStatus>
            <StatusStartingTime>${time(start)}</StatusStartingTime>
          </ServiceHistoryInstance>`,
          )
          .join('')}
        </ServiceHistory>`
        }
      </TSPService>`

/** Critical qualifications and an additional type, as authorities of qualified certificates have them in national lists. */
const QUALIFIED = `
          <ServiceInformationExtensions>
            <Extension Critical="true">
              <sie:Qualifications>
                <sie:QualificationElement>
                  <sie:Qualifiers>
                    <sie:Qualifier uri="http://uri.etsi.org/TrstSvc/TrustedList/SvcInfoExt/QCForESig"/>
                  </sie:Qualifiers>
                  <sie:CriteriaList assert="atLeastOne">
                    <sie:KeyUsage><sie:KeyUsageBit name="nonRepudiation">true</sie:KeyUsageBit></sie:KeyUsage>
                  </sie:CriteriaList>
                </sie:QualificationElement>
              </sie:Qualifications>
            </Extension>
            <Extension Critical="false">
              <AdditionalServiceInformation>
                <URI xml:lang="en">http://uri.etsi.org/TrstSvc/TrustedList/SvcInfoExt/ForeSignatures</URI>
              </AdditionalServiceInformation>
            </Extension>
          </ServiceInformationExtensions>`

const provider = (texts: Readonly<Record<string, string>>, services: readonly Service[]) => `
    <TrustServiceProvider>
      <TSPInformation>
        ${names('TSPName', texts)}
        ${names('TSPTradeName', { en: 'VATSK-2020202020' })}
        ${address('TSPAddress')}
        ${uris('TSPInformationURI', 'https://provider.example')}
      </TSPInformation>
      <TSPServices>${services.map(service).join('')}
      </TSPServices>
    </TrustServiceProvider>`

/** A provider with one granted service. */
export const strangeProvider = (by: TestCertificate, now: number) =>
  provider({ en: 'Strange provider' }, [
    { type: 'EAA/Q', name: 'Strange', by, status: 'granted', since: now - 9 * DAY },
  ])

/**
 * A list with the structure of a real national list (ETSI TS 119 612 §5 and annex C, versions 5 and 6). It has all parts of
 * the scheme and several providers, with names in several scripts. Some services are withdrawn, or have earlier states and
 * extensions.
 */
export function nationalList(
  { granted, withdrawn, later, unknown, persons }: Authorities,
  operator: TestCertificate,
  now: number,
  { version = 6, sequence = 5, issued = -60_000, nextUpdate = 180 * DAY }: Issue = {},
): string {
  const ago = (days: number) => now - days * DAY
  const attestations = 'EAA/Q'
  return `<?xml version="1.0" encoding="UTF-8"?>
<TrustServiceStatusList xmlns="${TSL}" xmlns:sie="${EXTENSIONS}" xmlns:tslx="http://uri.etsi.org/02231/v2/additionaltypes#" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" Id="list" TSLTag="http://uri.etsi.org/19612/TSLTag">
  <!-- Comments are no part of the signed text. -->
  <SchemeInformation>
    <TSLVersionIdentifier>${version}</TSLVersionIdentifier>
    <TSLSequenceNumber>${sequence}</TSLSequenceNumber>
    <TSLType>http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUgeneric</TSLType>
    ${names('SchemeOperatorName', { en: 'National Security Authority', sk: 'Národný bezpečnostný úrad' })}
    ${address('SchemeOperatorAddress')}
    ${names('SchemeName', { en: 'SK:Trusted list &amp; more' })}
    ${uris('SchemeInformationURI', 'https://authority.example/list')}
    <StatusDeterminationApproach>http://uri.etsi.org/TrstSvc/TrustedList/StatusDetn/EUappropriate</StatusDeterminationApproach>
    ${uris('SchemeTypeCommunityRules', 'http://uri.etsi.org/TrstSvc/TrustedList/schemerules/EUcommon')}
    <SchemeTerritory>SK</SchemeTerritory>
    <PolicyOrLegalNotice><TSLLegalNotice xml:lang="en">The legal framework of this list is Regulation (EU) No 910/2014.</TSLLegalNotice></PolicyOrLegalNotice>
    <HistoricalInformationPeriod>65535</HistoricalInformationPeriod>
    <PointersToOtherTSL>
      <OtherTSLPointer>
        <ServiceDigitalIdentities>${identity(operator)}</ServiceDigitalIdentities>
        <TSLLocation>https://lists.example/eu-lotl.xml</TSLLocation>
        <AdditionalInformation>
          <OtherInformation><TSLType>http://uri.etsi.org/TrstSvc/TrustedList/TSLType/EUlistofthelists</TSLType></OtherInformation>
          <OtherInformation><SchemeTerritory>EU</SchemeTerritory></OtherInformation>
          <OtherInformation><tslx:MimeType>application/vnd.etsi.tsl+xml</tslx:MimeType></OtherInformation>
        </AdditionalInformation>
      </OtherTSLPointer>
    </PointersToOtherTSL>
    <ListIssueDateTime>${time(now + issued)}</ListIssueDateTime>
    <NextUpdate><dateTime>${time(now + nextUpdate)}</dateTime></NextUpdate>
    <DistributionPoints><URI>https://authority.example/list.xml</URI></DistributionPoints>
  </SchemeInformation>
  <TrustServiceProviderList>${[
    provider({ en: 'Ministry of the Interior', sk: 'Ministerstvo vnútra', el: 'Υπουργείο', bg: 'Министерство' }, [
      {
        type: attestations,
        name: 'Attestations',
        by: granted,
        status: 'granted',
        since: ago(30),
        history: [
          ['withdrawn', ago(60)],
          ['granted', ago(900)],
        ],
      },
      { type: 'CA/QC', name: 'Persons', by: persons, status: 'granted', since: ago(900), extensions: QUALIFIED },
    ]),
    provider({ en: 'Former provider' }, [
      {
        type: attestations,
        name: 'Former attestations',
        by: withdrawn,
        status: 'withdrawn',
        since: ago(10),
        history: [['granted', ago(900)]],
      },
      { type: attestations, name: 'Supervised', by: unknown, status: 'undersupervision', since: ago(10) },
    ]),
    provider({ en: 'New provider' }, [
      { type: 'EAA/Pub-EAA', name: 'New attestations', by: later, status: 'granted', since: now + 10 * DAY },
    ]),
  ].join('')}
  </TrustServiceProviderList>
</TrustServiceStatusList>`
}
