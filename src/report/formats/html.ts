import { diagnosticsHtml } from '../html/diagnostics.js'
import { diffHtml } from '../html/diff.js'
import { driftHtml } from '../html/drift.js'
import { fleetRunHtml } from '../html/fleet-run.js'
import { historyHtml } from '../html/history.js'
import { planHtml } from '../html/plan.js'
import { runHtml } from '../html/run.js'
import type { DocumentName, Writers } from './format.js'

/** An HTML page for each document: a single file that loads nothing. */
export const reports: Writers<DocumentName> = {
  validation: diagnosticsHtml,
  plan: planHtml,
  drift: driftHtml,
  run: runHtml,
  diff: diffHtml,
  history: historyHtml,
  fleet: fleetRunHtml,
  policies: diagnosticsHtml,
  problems: diagnosticsHtml,
}
