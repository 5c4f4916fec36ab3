import fc from 'fast-check'

/** The same draws in every run, so that a red test is red again; `LAW_SEED` searches elsewhere, `LAW_RUNS` longer. */
fc.configureGlobal({ seed: Number(process.env.LAW_SEED ?? 20_261_121) })
