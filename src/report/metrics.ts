import { lineOf } from './formats/text.js'

/** One metric in the text format of Prometheus. */
export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'gauge' | 'counter'
  readonly samples: readonly { readonly labels?: SampleLabels; readonly value: number }[]
}

type SampleLabels = Readonly<Record<string, string>>

/** `labels`: labels of all samples, before their own. */
export const metricsText = (metrics: readonly Metric[], labels: SampleLabels): string =>
  metrics
    .flatMap(({ name, help, type, samples }) => [
      `# HELP ${name} ${help}\n`,
      `# TYPE ${name} ${type}\n`,
      ...samples.map((each) => `${name}${labelsText({ ...labels, ...each.labels })} ${each.value}\n`),
    ])
    .join('')

export const labelsText = (labels: SampleLabels): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${lineOf(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`)
    .join(',')}}`
