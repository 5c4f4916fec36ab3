import { page, table } from './page.js'

/** docs/reference/environment-variables.md. A test compares the rows with the source code. */
export const variablesPage = (): string =>
  page(
    'Environment variables',
    'scripts/reference/variables-page.ts',
    `Environment variables set the platform and the login, as in \`GATEWRIGHT_URL=… gatewright plan\`. They take precedence over the
project file, and the command line over them. A manifest may not use \`\${env:GATEWRIGHT_…}\`. An environment of the project may use
other variables for its login: [\`platform.credentials\`](project-file.md).`,
    table(
      ['variable', 'meaning'],
      rows.map(([name, is]) => [name, is]),
    ),
  )

const rows: readonly (readonly [name: string, is: string])[] = [
  [
    '`GATEWRIGHT_URL`',
    'The base address of the platform, without `/v3`: `/v3/rest` and `/v3/token` are below it (`--url`).',
  ],
  ['`GATEWRIGHT_AREA`', 'The customer area (`--area`).'],
  ['`GATEWRIGHT_ENV`', 'The environment of the project (`-e`).'],
  ['`GATEWRIGHT_API_KEY`, `GATEWRIGHT_API_SECRET`', 'Key and secret of the interface.'],
  ['`GATEWRIGHT_USERNAME`, `GATEWRIGHT_PASSWORD`', 'The user for whom a token is requested.'],
  [
    '`GATEWRIGHT_TOKEN`',
    'An access token, instead of those four. Without `GATEWRIGHT_AREA` or `--area` it can plan, but not apply.',
  ],
  [
    '`GATEWRIGHT_HOSTS`',
    'The hosts that a project file may name for the platform, a database or a webhook, separated by commas: `host[:port]` or `*.example.com`. Credentials go to no other hosts.',
  ],
  [
    '`GATEWRIGHT_FINGERPRINT_KEY`',
    'The key of the hashes that show changed secrets and edited plan files. Any long random text, the same for everyone who plans and applies. Without it, a key is derived from the API secret.',
  ],
  [
    '`GATEWRIGHT_FLEET_DATABASE`',
    'The PostgreSQL database of `gatewright fleet serve`, `fleet status`, `fleet history` and `fleet rollout`, as a URL.',
  ],
  [
    '`GATEWRIGHT_JOB`',
    'For internal use: a fleet sets it for the processes of its areas, so that they keep to their share of a key. Do not set it.',
  ],
  ['`GATEWRIGHT_RECORDS`', 'Where records are kept; overrides `spec.records`.'],
  [
    '`GATEWRIGHT_VOCABULARY`',
    'The words of the platform: `document`, or `mashery` for those of the vendor’s own platforms; overrides `platform.vocabulary`.',
  ],
  [
    '`GATEWRIGHT_REQUESTS_PER_SECOND`',
    'The maximum number of calls per second; the lower of this and `platform.requestsPerSecond` applies.',
  ],
  [
    '`GATEWRIGHT_GUARD_REF`',
    'A git ref, such as `origin/main`, whose guard rails, policies and targets apply too ([security](../explanation/security.md)).',
  ],
  [
    '`GATEWRIGHT_WHO`',
    'The name of the user in the history. Default: `GITHUB_ACTOR`, `GITLAB_USER_LOGIN`, `BUILD_USER`, or the user of the machine.',
  ],
  [
    '`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`',
    'The proxies for requests; `host:port` is enough. Localhost is never proxied.',
  ],
  [
    '`SOPS_AGE_KEY`, `SOPS_AGE_KEY_FILE`',
    'The age keys that decrypt values, as for sops: the keys themselves, and a file of keys. The default key file is read too ([secrets](../how-to/secrets.md)).',
  ],
  ['`XDG_CONFIG_HOME`', 'The folder of the default age key file, instead of `~/.config`.'],
  [
    '`PGPASSWORD`, `PGPASSFILE`',
    'The login of the database of records or of a fleet, as for all PostgreSQL programs. Used only for a host that `GATEWRIGHT_HOSTS` or a variable names.',
  ],
  [
    '`NODE_EXTRA_CA_CERTS`',
    'A file with additional CA certificates, for the certificate of the platform (read by Node).',
  ],
  ['`NO_COLOR`, `FORCE_COLOR`', 'No colours; or colours even if the output is not a terminal (`--color`).'],
]
