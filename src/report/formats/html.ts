import { diagnosticsHtml } from '../html/diagnostics.js'
import { diffHtml } from '../html/diff.js'
import { driftHtml } from '../html/drift.js'
import { fleetRunHtml } from '../html/fleet-run.js'
import { historyHtml } from '../html/history.js'
import { planHtml } from '../html/plan.js'
import { runHtml } from '../html/run.js'
import type { DocumentName, Writers } from './format.js'

/** A page of its own for every document: one file that asks for nothing. */
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
