import { writeFileSync } from 'node:fs'

/** Preloaded into measured programs: leaves their peak memory, in KB, where BENCH_PEAK says. */
process.on('exit', () => {
  if (process.env.BENCH_PEAK) writeFileSync(process.env.BENCH_PEAK, String(process.resourceUsage().maxRSS))
})
