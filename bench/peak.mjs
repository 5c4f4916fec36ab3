import { writeFileSync } from 'node:fs'

/**
 * Preloaded into measured programs: writes their peak memory, in KB, and their CPU time, in microseconds, to the file in
 * BENCH_PEAK.
 */
process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  if (process.env.BENCH_PEAK) writeFileSync(process.env.BENCH_PEAK, `${maxRSS} ${userCPUTime + systemCPUTime}`)
})
