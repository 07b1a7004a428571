import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { hasProgram } from '../events/servers.js'
import {
  configOf,
  environmentOf,
  imageEnvironment,
  isInImage,
  read,
  root,
  SECRETS,
  stopSeconds,
  unknownVariables,
} from './environment.js'

const HERE = 'deploy/kubernetes'

const zResource = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels: z.record(z.string(), z.string()).optional() }),
})
type Resource = z.infer<typeof zResource>

const resourcesOf = (text: string): Resource[] =>
  parseAllDocuments(text).map((document) => zResource.parse(document.toJS({ maxAliasCount: 10 })))

/** The types of kubernetes-models, which come from the published schemas of Kubernetes and the Prometheus Operator. */
const typeOf = ({ apiVersion, kind }: Resource) => {
  const operator = apiVersion.startsWith('monitoring.coreos.com/')
  return `import('${operator ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models'}/${apiVersion}').I${kind}`
}

/**
 * Returns the compiler's errors for resources. Each resource is written as a literal of its Kubernetes type, so the
 * compiler finds wrong types, missing fields and unknown fields. A server would drop unknown fields silently.
 */
function problemsOf(resources: readonly Resource[]): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'credence-kubernetes-'))
  try {
    const lines = resources.map((it, index) => `export const r${index}: ${typeOf(it)} = ${JSON.stringify(it)}`)
    writeFileSync(join(directory, 'resources.ts'), lines.join('\n'))
    const compilerOptions = {
      ...{
        module: 'esnext',
        moduleResolution: 'bundler',
        target: 'es2022',
        strict: true,
        noEmit: true,
        skipLibCheck: true,
      },
      types: [],
      paths: { '*': [join(root, 'node_modules/*')] },
    }
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['resources.ts'] }))
    const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', directory], {
      encoding: 'utf8',
    })
    return status === 0 ? [] : (stdout + stderr).trim().split('\n')
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** The files that are applied as resources. Patches are left out. */
const files = readdirSync(join(root, HERE), { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.yaml') && !/kustomization\.yaml$|spread\.yaml$/.test(path),
)

it('every file has resources that are valid under the schemas of Kubernetes', () => {
  const resources = files.flatMap((file) => resourcesOf(read(join(HERE, file))))
  expect(resources.length).toBeGreaterThanOrEqual(files.length)
  expect(problemsOf(resources)).toEqual([])
})

it('the schemas detect a field of a wrong type, a missing field, and an unknown field', () => {
  const [deployment] = resourcesOf(read(join(HERE, 'base/deployment.yaml')))
  const spec = z.looseObject({ template: z.looseObject({}) }).parse(deployment?.spec)
  const wrong = (changed: object) =>
    problemsOf([zResource.parse({ ...deployment, spec: { ...spec, ...changed } })]).join()
  expect(wrong({})).toBe('')
  expect(wrong({ replicas: 'two' })).toMatch(/'string' is not assignable to type 'number'/)
  expect(wrong({ selector: undefined })).toMatch(/'"selector"' is missing/)
  expect(wrong({ revisionHistory: 3 })).toMatch(/'"revisionHistory"' does not exist/)
})

it('the Secret has names of variables and no value', () => {
  const [secret] = resourcesOf(read(join(HERE, 'secret.example.yaml')))
  const entries = z.record(z.string(), z.string()).parse(secret?.stringData)
  expect(unknownVariables(entries)).toEqual([])
  expect(new Set(Object.values(entries))).toEqual(new Set(['']))
  expect(Object.keys(entries).filter((name) => SECRETS[name] === undefined)).toEqual([])
})

const zLabels = z.record(z.string(), z.string())
const zProbe = z.object({
  httpGet: z.object({ path: z.string(), port: z.string() }),
  periodSeconds: z.int(),
  timeoutSeconds: z.int(),
  failureThreshold: z.int(),
})
const zContainer = z.looseObject({
  image: z.string(),
  command: z.array(z.string()).optional(),
  envFrom: z.tuple([
    z.object({ configMapRef: z.object({ name: z.string() }) }),
    z.object({ secretRef: z.object({ name: z.literal('credence') }) }),
  ]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.int() })).default([]),
  securityContext: z.unknown(),
})
const zServing = zContainer.extend({ startupProbe: zProbe, livenessProbe: zProbe, readinessProbe: zProbe })
const zPods = <Container extends z.ZodType>(container: Container) =>
  z.object({
    template: z.object({
      metadata: z.object({ labels: zLabels }),
      spec: z.looseObject({
        containers: z.tuple([container]),
        securityContext: z.unknown(),
        terminationGracePeriodSeconds: z.int().optional(),
      }),
    }),
  })
const zService = z.object({
  selector: zLabels,
  ports: z.array(z.object({ name: z.string(), port: z.int(), targetPort: z.string() })),
})

const selects = (selector: Record<string, string>, labels: Record<string, string> = {}) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

// kubectl builds the overlays. On a machine without kubectl these tests are skipped, and only the single files are checked.
describe.skipIf(!hasProgram('kubectl')).each(readdirSync(join(root, HERE, 'overlays')))('overlay %s', (overlay) => {
  const built = execFileSync('kubectl', ['kustomize', join(root, HERE, 'overlays', overlay)], { encoding: 'utf8' })
  const resources = resourcesOf(built)
  const all = (kind: string) => resources.filter((resource) => resource.kind === kind)
  const only = (kind: string): Resource => {
    const [found, ...others] = all(kind)
    if (found === undefined || others.length > 0) throw new Error(`There are ${all(kind).length} of ${kind}.`)
    return found
  }
  const deployment = zPods(zServing).parse(only('Deployment').spec).template
  const job = zPods(zContainer).parse(only('Job').spec).template
  const [serving] = deployment.spec.containers
  const [migrating] = job.spec.containers
  const configMap = zLabels.parse(only('ConfigMap').data)
  const config = configOf({ ...SECRETS, ...configMap })
  const portOf = (name: string) => serving.ports.find((port) => port.name === name)?.containerPort

  it('is valid under the schemas of Kubernetes', () => {
    expect(problemsOf(resources)).toEqual([])
    expect(
      new Set(resources.filter(({ kind }) => kind !== 'Namespace').map(({ metadata }) => metadata.namespace)),
    ).toEqual(new Set(['credence']))
  })

  it('starts the service, and the job before it, with existing variables and an image of the same version', () => {
    expect(unknownVariables(configMap)).toEqual([])
    for (const { envFrom, image } of [serving, migrating]) {
      expect(envFrom[0].configMapRef.name).toBe(only('ConfigMap').metadata.name)
      expect(image).toMatch(/^registry\.example\.org\/credence:\d+\.\d+\.\d+$/)
    }
    expect(serving.command).toBeUndefined()
    expect(isInImage(migrating.command ?? [])).toBe(true)
    expect(job.spec.restartPolicy).toBe('Never')
  })

  it('probes each second whether a pod is ready, and sees two failures before the pod stops serving', () => {
    expect(portOf('http')).toBe(config.port)
    expect(portOf('metrics')).toBe(config.metrics.port)
    expect([config.host, config.metrics.host]).toEqual(['0.0.0.0', '0.0.0.0'])
    const { startupProbe, livenessProbe, readinessProbe } = serving
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) expect(httpGet.port).toBe('metrics')
    expect(livenessProbe.httpGet.path).toBe('/health/liveness')
    expect(readinessProbe.httpGet.path).toBe('/health/readiness')
    expect(readinessProbe).toMatchObject({ periodSeconds: 1, failureThreshold: 2 })
    expect(readinessProbe.periodSeconds * readinessProbe.failureThreshold).toBeLessThan(config.shutdownDelaySeconds)
    expect(deployment.spec.terminationGracePeriodSeconds).toBe(45)
    expect(stopSeconds(config)).toBeLessThanOrEqual(45)
  })

  it('runs all containers without privileges: not as root, on a read-only file system', () => {
    for (const { spec } of [deployment, job]) {
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
      expect(spec).toMatchObject({
        serviceAccountName: only('ServiceAccount').metadata.name,
        automountServiceAccountToken: false,
      })
      expect(spec.volumes).toEqual([{ name: 'files', secret: { secretName: 'credence-files', optional: true } }])
      expect(spec.containers[0].volumeMounts).toEqual([{ name: 'files', mountPath: '/etc/credence', readOnly: true }])
      expect(spec.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
    expect(only('Namespace').metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' })
  })

  it('leads only to the pods that serve', () => {
    const { selector, ports } = zService.parse(only('Service').spec)
    expect(selects(selector, deployment.metadata.labels)).toBe(true)
    expect(selects(selector, job.metadata.labels)).toBe(false)
    for (const { targetPort } of ports) expect(portOf(targetPort)).toBeDefined()
    const policy = z
      .object({
        podSelector: z.object({ matchLabels: zLabels }),
        ingress: z.array(z.object({ ports: z.array(z.object({ port: z.int() })) })),
      })
      .parse(only('NetworkPolicy').spec)
    for (const { metadata } of [deployment, job])
      expect(selects(policy.podSelector.matchLabels, metadata.labels)).toBe(true)
    const open = policy.ingress.flatMap((rule) => rule.ports.map(({ port }) => port))
    expect(open.sort()).toEqual([config.port, config.metrics.port].sort())
    expect(only('Deployment').spec).toMatchObject({ strategy: { rollingUpdate: { maxUnavailable: 0 } } })
  })

  it('may connect to its databases, Redis, DNS and https, but not to the metadata service of a cloud', () => {
    const zPorts = z.array(z.object({ port: z.int() }))
    const { egress } = z
      .object({ egress: z.array(z.object({ to: z.array(z.unknown()).optional(), ports: zPorts })) })
      .parse(only('NetworkPolicy').spec)
    const ports = (anywhere: boolean) =>
      egress.filter(({ to }) => (to === undefined) === anywhere).flatMap((rule) => rule.ports.map(({ port }) => port))
    for (const name of ['DATABASE_URL', 'DIRECT_DATABASE_URL', 'DATABASE_REPLICA_URL', 'REDIS_URL'])
      expect(ports(true), name).toContain(Number(new URL(SECRETS[name] ?? '').port))
    expect(new Set(ports(false))).toEqual(new Set([53, 443]))
    const https = egress.find((rule) => rule.ports.some(({ port }) => port === 443))
    expect(https?.to?.[0]).toEqual({ ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } })
  })

  it.runIf(all('HorizontalPodAutoscaler').length > 0)('scales, spreads, monitors and publishes this deployment', () => {
    const service = zService.parse(only('Service').spec)
    expect(only('HorizontalPodAutoscaler').spec).toMatchObject({
      minReplicas: 2,
      scaleTargetRef: { kind: 'Deployment', name: only('Deployment').metadata.name },
    })
    // Each apply would restore a fixed number of replicas and undo the autoscaler's.
    expect(only('Deployment').spec).not.toHaveProperty('replicas')
    expect(only('PodDisruptionBudget').spec).toMatchObject({
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    })
    const budget = z.object({ selector: z.object({ matchLabels: zLabels }) }).parse(only('PodDisruptionBudget').spec)
    const { topologySpreadConstraints: spread } = z
      .looseObject({
        topologySpreadConstraints: z.array(z.looseObject({ labelSelector: z.object({ matchLabels: zLabels }) })),
      })
      .parse(deployment.spec)
    for (const { matchLabels } of [budget.selector, ...spread.map(({ labelSelector }) => labelSelector)]) {
      expect(selects(matchLabels, deployment.metadata.labels)).toBe(true)
      expect(selects(matchLabels, job.metadata.labels)).toBe(false)
    }
    const monitor = z
      .object({
        selector: z.object({ matchLabels: zLabels }),
        endpoints: z.array(z.looseObject({ port: z.string(), path: z.literal('/metrics') })),
      })
      .parse(only('ServiceMonitor').spec)
    expect(selects(monitor.selector.matchLabels, only('Service').metadata.labels)).toBe(true)
    expect(service.ports.find(({ name }) => name === monitor.endpoints[0]?.port)?.targetPort).toBe('metrics')
    expect(JSON.stringify(only('Ingress').spec)).toContain('"service":{"name":"credence","port":{"name":"http"}}')
    expect(config.events.transport).toBe('redis')
  })
})

it('each file of variables has only settings beyond the image’s', () => {
  for (const file of ['base', 'overlays/single', 'overlays/production'].map(
    (folder) => `${HERE}/${folder}/credence.env`,
  )) {
    const variables = environmentOf(read(file))
    expect(unknownVariables(variables)).toEqual([])
    for (const [name, value] of Object.entries(variables)) {
      if (name !== 'METRICS_PORT') expect(imageEnvironment()[name], `${name}=${value}`).toBeUndefined()
    }
  }
})
