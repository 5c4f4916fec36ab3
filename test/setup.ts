import fc from 'fast-check'

/** The same random values in every run, so that a failed test fails again; `LAW_SEED` changes them, `LAW_RUNS` draws more. */
fc.configureGlobal({ seed: Number(process.env.LAW_SEED ?? 20_261_121) })
