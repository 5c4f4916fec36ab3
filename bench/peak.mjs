import { writeFileSync } from 'node:fs'

/** Preloaded into measured programs: leaves their peak memory, in KB, and CPU time, in microseconds, where BENCH_PEAK says. */
process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  if (process.env.BENCH_PEAK) writeFileSync(process.env.BENCH_PEAK, `${maxRSS} ${userCPUTime + systemCPUTime}`)
})
