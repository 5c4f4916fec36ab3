import { page, table } from './page.js'

/** docs/reference/environment-variables.md; a test holds the rows against the program's source. */
export const variablesPage = (): string =>
  page(
    'Environment variables',
    'scripts/reference/variables-page.ts',
    `They outrank the project file; the command line outranks them. No manifest may use \`\${env:GATEWRIGHT_…}\`. An environment of the
project may name variables of its own: [\`platform.credentials\`](project-file.md).`,
    table(
      ['variable', 'is'],
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
  ['`GATEWRIGHT_USERNAME`, `GATEWRIGHT_PASSWORD`', 'The user that a token is asked for.'],
  ['`GATEWRIGHT_TOKEN`', 'A ready token, instead of those four. A token without an area may plan, not apply.'],
  [
    '`GATEWRIGHT_HOSTS`',
    'Hosts, with commas, that a project file may name for the platform, a database or a webhook: `host[:port]` or `*.example.com`. Credentials go to no others.',
  ],
  [
    '`GATEWRIGHT_FINGERPRINT_KEY`',
    'The key for the hashes by which gatewright notices changed secrets and changed plan files. Any long random text, the same for all who plan and apply. Without it one is made of the API secret.',
  ],
  [
    '`GATEWRIGHT_FLEET_DATABASE`',
    'The PostgreSQL database of `gatewright fleet serve` and of the commands that ask it, as a URL.',
  ],
  [
    '`GATEWRIGHT_JOB`',
    'Set by a fleet for the processes of its areas, and by nobody else: they keep to their share of a key.',
  ],
  ['`GATEWRIGHT_RECORDS`', 'Where records are kept, in place of `spec.records`.'],
  [
    '`GATEWRIGHT_VOCABULARY`',
    'The words of the platform: `document`, or `mashery` for those of the vendor’s own platforms, in place of `platform.vocabulary`.',
  ],
  [
    '`GATEWRIGHT_REQUESTS_PER_SECOND`',
    'Calls a second at most; the slower of it and `platform.requestsPerSecond` holds.',
  ],
  [
    '`GATEWRIGHT_GUARD_REF`',
    'The git ref, such as `origin/main`, at which guard rails, policies and targets are read as well ([security](../explanation/security.md)).',
  ],
  [
    '`GATEWRIGHT_WHO`',
    'Who applies, for the history. Without it `GITHUB_ACTOR`, `GITLAB_USER_LOGIN`, `BUILD_USER`, or the user of the machine.',
  ],
  [
    '`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`',
    'The proxies to go through; `host:port` will do. Localhost is never proxied.',
  ],
  [
    '`SOPS_AGE_KEY`, `SOPS_AGE_KEY_FILE`',
    'The age keys that open encrypted values, as sops takes them: the keys themselves, and a file of them. Beside both the usual key file is read ([secrets](../how-to/secrets.md)).',
  ],
  ['`XDG_CONFIG_HOME`', 'Where the usual key file of age is looked for, in place of `~/.config`.'],
  [
    '`PGPASSWORD`, `PGPASSFILE`',
    'The login of a database of records or of a fleet, as all programs of PostgreSQL take it; for a host that `GATEWRIGHT_HOSTS` or a variable names.',
  ],
  ['`NODE_EXTRA_CA_CERTS`', 'A file with the certificates of those who sign the platform’s own (Node reads it).'],
  ['`NO_COLOR`, `FORCE_COLOR`', 'No colours, or colours also where the output is no terminal (`--color`).'],
]
