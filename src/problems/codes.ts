export type Severity = 'error' | 'warning' | 'note'

/** The meaning of a problem code, and what to do about it. `docs/reference/problems.md` is generated from these rows. */
interface CodeRow {
  /** The severities that a problem with that code can have; an error if absent. */
  readonly severity?: Severity | readonly Severity[]
  readonly means: string
  readonly remedy: string
}

const rows = {
  // Fleets
  'area-not-started': {
    means: 'Nothing was done in an area of a fleet: the run was interrupted before, or there is no saved plan of it.',
    remedy: 'Run the command with --resume, or plan the area.',
  },
  'fleet-area-differs': {
    means: 'An area of a fleet names a customer area, and its project or environment names another one.',
    remedy: 'Leave one of the two out.',
  },
  'fleet-area-twice': {
    severity: ['error', 'warning'],
    means: 'Two areas of a fleet have one name, or are one area of one platform.',
    remedy: 'Rename or remove one of them.',
  },
  'fleet-areas': {
    means: 'A fleet has no area, none of that name, or none that --select and -l choose.',
    remedy: 'gatewright fleet list shows the areas with their labels.',
  },
  'fleet-key': {
    severity: ['error', 'warning'],
    means: 'An area names a key that the fleet does not declare, or no area names one that it does.',
    remedy: 'Declare it in spec.keys of the fleet, or remove it there.',
  },
  'fleet-plans': {
    means: 'The folder that fleet apply is given has no plans of that fleet.',
    remedy: 'Make them with gatewright fleet plan --out DIR.',
  },
  'fleet-quota': {
    severity: ['warning', 'note'],
    means: 'What the drift of all areas of a key takes of its calls of a day, and whether they will do.',
    remedy: 'Run drift less often, or share the areas among more keys.',
  },
  'fleet-rate': {
    severity: ['warning', 'note'],
    means:
      'Projects of a key that areas share say how many calls a second they send, where the key says nothing or more.',
    remedy: 'Say requestsPerSecond of the key in the fleet file, and leave it out of the projects.',
  },
  'fleet-schedule': {
    means:
      'The schedule of a fleet is not a cron line, its time zone is unknown, or its jitter is longer than the time between two runs.',
    remedy: 'The message says what is wrong.',
  },
  'fleet-serve': {
    severity: 'warning',
    means: 'Of the two settings that say who may decide on the pages of a fleet, one is written without the other.',
    remedy: 'Write both userHeader and trustedProxies in spec.serve, or neither.',
  },
  'fleet-variable': {
    severity: 'warning',
    means: 'The manifests of an area use a variable that is set, and that the process of the area does not have.',
    remedy: 'List it in variables of the area or of the fleet.',
  },
  'fleet-wave': {
    severity: ['error', 'warning'],
    means: 'A wave of a rollout has no area, or areas are in no wave.',
    remedy: 'Correct its labels; the wave {} has all that are left.',
  },
  'missing-fleet': {
    means: 'The fleet file is not there, or cannot be read.',
    remedy: 'Name it with -f; without it gatewright.fleet.yaml of the working directory is read.',
  },
  'area-job-failed': {
    means: 'The process that worked on one area of a fleet was not started, died, took too long, or gave no answer.',
    remedy: 'Run the command with --resume; gatewright history of that area shows what was done.',
  },
  'area-busy': {
    means: 'A job of an area was to begin while another one was still running.',
    remedy: 'Nothing: the next one looks at the area again. If it happens often, the schedule is too close.',
  },
  'area-not-in-fleet': {
    means: 'A job is for an area that the fleet file does not name any more.',
    remedy: 'Nothing: the job was queued before the fleet file was changed.',
  },
  'fleet-file-errors': {
    severity: 'warning',
    means:
      'The fleet file has errors. A decision about a rollout needs only the name of the fleet; fleet status shows the areas that can be read.',
    remedy: 'gatewright fleet validate shows the errors.',
  },
  'fleet-file-reread': {
    severity: ['warning', 'note'],
    means:
      'A worker has read the changed fleet file: it is in use now, or it has errors and its previous version stays in use.',
    remedy: 'gatewright fleet validate shows the errors.',
  },
  'calls-used-up': {
    means: 'The calls that an API key has for a day are used up, and the area was not looked at.',
    remedy: 'A schedule that is further apart, or another key: gatewright fleet validate counts.',
  },
  'no-fleet-database': {
    means: 'GATEWRIGHT_FLEET_DATABASE is not set, or is no URL of a PostgreSQL database.',
    remedy: 'Set it to the URL of a PostgreSQL database.',
  },
  'no-fleet-worker': {
    severity: ['error', 'warning'],
    means: 'No worker of a fleet is at work, or none has used the database yet.',
    remedy: 'Start one: gatewright fleet serve.',
  },
  'no-such-rollout': {
    means: 'There is no rollout of that name; or no name is given, and none or several have not ended.',
    remedy: 'gatewright fleet status lists them.',
  },
  'page-not-served': {
    means: 'The pages of a fleet cannot be served at that address.',
    remedy: 'Take another --port or --host.',
  },
  'rollout-not-decided': {
    means:
      'Nothing was decided about a rollout: it has ended or failed, waits for nothing, or has other plans than were seen.',
    remedy: 'Look at gatewright fleet status, and decide again.',
  },
  'fleet-package-missing': {
    means: 'The package of the workflow engine, which fleet serve works with, is not installed.',
    remedy: 'npm install it, as the message says.',
  },
  // Encrypted secrets
  'bad-recipient': {
    means: 'A text is not an age recipient.',
    remedy: 'Write the public key that age-keygen printed: it begins with age1.',
  },
  'no-recipients': {
    means: 'secret encrypt or secret rotate has no recipients to encrypt for.',
    remedy: 'List spec.secrets.recipients in the project file, or give --recipient.',
  },
  'nothing-to-encrypt': {
    means: 'secret encrypt was given no value, or one that cannot stand in a manifest.',
    remedy: 'Give it on the standard input, as text of at most 1 MB.',
  },
  'secret-in-settings': {
    means: 'A ${sops:…} or ${age:…} placeholder is in a setting of the project file, such as platform.',
    remedy: 'Use a variable there; manifests, values, defaults and patches may have encrypted values.',
  },
  'secret-not-rotated': {
    means: 'secret rotate cannot decrypt one of the values that it must encrypt again. Nothing is changed.',
    remedy: 'Run it with a SOPS_AGE_KEY or a key file that decrypts every value.',
  },
  'secret-tampered': {
    means:
      'An encrypted value, or a SOPS file, is not as it was written: a value, a key, the order, a comment or the MAC was changed.',
    remedy: 'Take it from git as it was; change SOPS files with sops alone, and inline values with secret encrypt.',
  },
  'sops-keys': {
    means: 'A SOPS file has no age recipient, or needs several keys at once: nothing else is opened here.',
    remedy: 'Add an age recipient with sops, or run gatewright with sops exec-env and ${env:…}.',
  },
  'sops-unreadable': {
    means: 'A file that a ${sops:…} placeholder names is not one that sops wrote, or of a form that is not read.',
    remedy: 'Use YAML, JSON or .env files of sops.',
  },
  'sops-value': {
    means:
      'A ${sops:…} placeholder names no text in its file: the path is wrong, or leads to a list, a mapping or nothing.',
    remedy: 'Correct the JSON Pointer behind #.',
  },
  // Environments, values, defaults and patches
  'applied-in-commit-missing': {
    means: 'The commit that was applied in the other environment is not in this clone, or has no project file.',
    remedy: 'git fetch; a shallow clone lacks older commits.',
  },
  'applied-in-no-commit': {
    means: 'The last run of the other environment was made outside of git, or of files that were not committed.',
    remedy: 'Commit, and apply there once more.',
  },
  'applied-in-no-run': {
    means: 'No run of the other environment is recorded.',
    remedy: 'Apply there first; its records must be within reach.',
  },
  'applied-in-not-clean': {
    means: 'The last run of the other environment left something undone, left something out, or is a rollback.',
    remedy: 'Apply there until everything is done.',
  },
  'bad-patch': {
    means: 'A patch of an environment is not written as patches are.',
    remedy: 'The message says what it takes.',
  },
  'environment-among-manifests': {
    means: 'A document of kind Environment is among the manifests.',
    remedy: 'Name its file in spec.environments of the project file.',
  },
  'environment-not-chosen': {
    means: 'The project has several environments, and the command goes to one of them.',
    remedy: 'Choose it with -e NAME or GATEWRIGHT_ENV.',
  },
  'target-overridden': {
    severity: 'note',
    means: 'GATEWRIGHT_URL or GATEWRIGHT_AREA is set, and the chosen environment has another url or area.',
    remedy:
      'Check in the first line of the output which area was meant; unset the variable to use that of the environment.',
  },
  'environment-overruled': {
    means: 'Two environments are named, and an option or a variable overrides the url or area of both.',
    remedy: 'Unset the variable; GATEWRIGHT_HOSTS names the hosts that credentials may go to.',
  },
  'guard-after': {
    means: 'The guard of an environment says what it comes after, and the same manifests have not ended clean there.',
    remedy: 'Apply them in the environment that comes before.',
  },
  'guard-branch': {
    means: 'The guard of an environment names a git branch, and the commit here is not of it.',
    remedy: 'Merge, and apply from that branch.',
  },
  'guard-confirm': {
    means: 'The guard of an environment demands that its name is typed.',
    remedy: 'Type it, or answer in advance with --confirm NAME.',
  },
  'guard-deletes': {
    means: 'A plan deletes or replaces more objects than the guard of the environment allows.',
    remedy: 'Take the deletes out, or raise guard.deletes in a separate change.',
  },
  'guard-hazard': {
    means:
      'A hazard would have to be allowed, or is allowed with --allow, that the guard of the environment does not list.',
    remedy: 'Take the change out, or list the hazard in guard.hazards in a change of its own.',
  },
  'guard-planned': {
    means: 'The guard of an environment lets only saved plans be applied.',
    remedy: 'Save one with plan --out FILE, and apply that file.',
  },
  'guard-prune': {
    means: 'More would be deleted than the guard of the environment allows with guard.prune.',
    remedy: 'Narrow prune, or --prune, to what the guard says.',
  },
  'guard-ref': {
    means: 'The project file at GATEWRIGHT_GUARD_REF cannot be read, so it is not known which guard rails apply.',
    remedy: 'Fetch the ref (a shallow clone may lack it), or correct the variable.',
  },
  'environments-in-circle': {
    means: 'The guards of environments say that each comes after another one of them, so none can be applied first.',
    remedy: 'Leave guard.after out of the one that is to be applied first.',
  },
  'environments-disagree': {
    severity: ['error', 'warning', 'note'],
    means:
      'Two environments use the same area and desire the same object with different fields: each apply would undo the other.',
    remedy: 'Write the same for both, or limit the object to one of them with metadata.environments.',
  },
  'in-no-environment': {
    severity: 'warning',
    means: 'An object is in none of the environments: what applied it in one would delete it there.',
    remedy: 'Name an environment that has it in metadata.environments, or remove the object.',
  },
  'layer-creates': {
    means: 'Defaults or a patch hold objects: layers only write fields of objects that manifests declare.',
    remedy: 'Write fields for the kind of the objects, or a document with metadata.environments.',
  },
  'layer-names': {
    means: 'Defaults or a patch name an object.',
    remedy: 'Write names in the manifest; ${value:NAME} may stand in them.',
  },
  'not-declared': {
    means: 'No manifest declares the object, or the environment leaves it out.',
    remedy: 'Correct the address: explain takes those of manifests, get those of live objects.',
  },
  'patch-failed': {
    means: 'An operation of a JSON Patch cannot be done, or its test found another value.',
    remedy: 'Correct the patch: it sees the fields as manifests and defaults write them.',
  },
  'patch-no-effect': {
    severity: 'warning',
    means: 'A patch changes nothing.',
    remedy: 'Remove it, or correct what it writes.',
  },
  'patch-no-target': {
    means: 'No object of the environment matches the target of a patch.',
    remedy: 'Correct the target, or write expect: "0+" if there may be none.',
  },
  'patch-target-count': {
    means: 'A patch matches another number of objects than it expects.',
    remedy: 'Correct the target or expect.',
  },
  'not-promoted': {
    severity: 'warning',
    means: 'A value or a patch is not copied into an environment because of a YAML anchor or alias.',
    remedy: 'Write it by hand.',
  },
  'promotion-breaks': {
    means: 'What promote would write makes the environment invalid.',
    remedy: 'Choose with --select what fits there, or mend the manifests first.',
  },
  'unknown-environment': {
    means: 'An environment is named that the project does not declare.',
    remedy: 'Declare it in spec.environments, or correct the name.',
  },
  'writes-for-all': {
    means: 'What would be written for one environment changes what others should have; nothing was written.',
    remedy: 'Write fewer objects at once with --select; --into manifest if it should apply to all; or edit it by hand.',
  },
  'value-circular': { means: 'A value uses itself through others.', remedy: 'Replace one of them by its text.' },
  'value-in-text': {
    means: 'A placeholder for a list or a mapping is inside a longer text.',
    remedy: 'Write the placeholder as the whole field or list entry.',
  },
  'value-missing': {
    means: 'A value has no default, and the environment does not give it.',
    remedy: 'Write it among the values of the environment.',
  },
  'value-unknown': {
    means: 'A value that the project does not declare is used or set, or a value is used in a setting of the project.',
    remedy: 'Declare it in spec.values, or correct the name; in settings write it out.',
  },
  'value-unused': {
    severity: 'warning',
    means: 'Nothing uses a declared value.',
    remedy: 'Remove it, or correct the name where it should be used.',
  },
  // Policies
  'policy-among-manifests': {
    means: 'A document of kind Policy is among the manifests, where it has no effect.',
    remedy: 'Move it into the folder policies, or name its file in spec.policies of the project file.',
  },
  'policy-bad-day': {
    means: 'The last day of a waiver is not a valid date.',
    remedy: 'Write it like 2027-03-31.',
  },
  'policy-expression': {
    means: 'An expression of a policy is not CEL, names what there is not, or compares what cannot be compared.',
    remedy: 'The message says which part of it; explain KIND lists the fields.',
  },
  'policy-failed': {
    severity: ['error', 'warning'],
    means:
      'An expression of a policy gave no answer for an object, mostly since it asks for a field that is not there.',
    remedy: 'Ask first whether the field is there: has(after.FIELD), or after.?FIELD.orValue(…).',
  },
  'policy-incomplete': {
    means: 'A policy, a rule, a waiver or a test lacks a part.',
    remedy: 'Write what the message names.',
  },
  'policy-rule-untested': {
    severity: 'warning',
    means: 'No test of a policy breaks one of its rules: nothing shows that the rule finds anything.',
    remedy: 'Add a test of a change that it must find.',
  },
  'policy-test-failed': {
    means: 'A policy says something else of a change than its test expects.',
    remedy: 'Mend the rule, or the test.',
  },
  'policy-twice': { means: 'Two policies have the same name.', remedy: 'Give one of them another name.' },
  'policy-violated': {
    severity: ['error', 'warning'],
    means: 'A policy does not allow what would be done to an object; or, as a warning, does not like it.',
    remedy: 'Change it; if it must be, agree on a waiver with an owner and a last day.',
  },
  'policy-waiver-ends': {
    severity: 'warning',
    means: 'A waiver of a policy ends within two weeks.',
    remedy: 'Bring the object in line with the policy, or agree on a later day.',
  },
  'policy-waiver-over': {
    severity: 'warning',
    means: 'The last day of a waiver is over: it waives nothing any more.',
    remedy: 'Remove it, or agree on a later day.',
  },
  'saved-plan-other-policies': {
    means: 'A saved plan was made under other policies than those that hold where it is applied; nothing was done.',
    remedy: 'Plan again, and check what the policies say about it now.',
  },

  // Manifests
  'ambiguous-name': {
    means: 'Several objects, live or declared, have the same name, and the name does not say which one is meant.',
    remedy: 'Pin the right one with metadata.id, or as {name, id} in a reference.',
  },
  'at-least-one': {
    means: 'A list that the platform never leaves empty is written as an empty one.',
    remedy: 'Write the entries, or leave the field out to leave them alone.',
  },
  'bad-address': {
    means: 'A text is not a valid address of an object.',
    remedy: 'Write it as Kind/name/Kind/name; `/` and `%` in names are written %2F and %25.',
  },
  'bad-pointer': {
    means: 'A JSON Pointer in metadata points to no field of the kind, or to what lies in the object.',
    remedy: 'Write it as /field or /field/member, in the metadata of the object that has the field.',
  },
  'clear-secret': {
    severity: ['error', 'warning'],
    means: 'A secret is written as it is, in a manifest or in the project file.',
    remedy: 'Write ${env:NAME}, and give the value in the environment.',
  },
  'complex-key': { means: 'A key of a YAML mapping is a list or a mapping.', remedy: 'Write a plain or quoted word.' },
  'cleared-and-listed': {
    means: 'An object is to be in none of the lists of a kind, and one of these lists names it.',
    remedy: 'Leave out the null, or the entry of the list.',
  },
  'declared-and-removed': {
    means: 'One document declares an object that another one removes, with kind Removed or with null.',
    remedy: 'Keep one of the two.',
  },
  'duplicate-key': { means: 'A YAML mapping has the same key twice.', remedy: 'Keep one of the two.' },
  'duplicate-object': {
    means: 'Two documents declare the same object.',
    remedy: 'Keep one, or pin each with metadata.id if two live objects share the name.',
  },
  'duplicate-reference': { means: 'A list of references names the same object twice.', remedy: 'Keep one of the two.' },
  'empty-manifests': {
    means: 'No manifest was found; an empty set is never understood as "delete everything".',
    remedy: 'Write a manifest, correct spec.manifests, or run gatewright init.',
  },
  'extra-field': {
    severity: 'warning',
    means: 'Neither document nor field notes know the field; it is sent unchecked.',
    remedy: 'Correct its name, or allow it with metadata.extraFields.',
  },
  'ignored-field': {
    means: 'The platform sets the field itself and ignores it in requests.',
    remedy: 'Take it out of the manifest.',
  },
  'key-without-value': {
    means: 'A key of a YAML mapping has no colon and no value.',
    remedy: 'Write key: value; put text with a comma or a brace in quotes.',
  },
  'limit-above-plan': {
    means: 'The limit of a key is higher than the limit of its plan, which applies to all its keys.',
    remedy: 'Lower the limit of the key, or raise the limit of the plan.',
  },
  'limit-not-allowed': {
    severity: 'warning',
    means: 'A key has a limit of its own, and its plan does not let keys have one.',
    remedy: 'Leave it out, or allow it in the plan.',
  },
  'missing-file': {
    means: 'A path to manifests, policies, environments or areas leads to no file that can be read.',
    remedy: 'Correct the path; one that gives no file is an error, so that nothing is deleted or left out by mistake.',
  },
  'not-text': {
    means: 'A file of the project is not text in UTF-8.',
    remedy: 'Save it as UTF-8. If it is not a manifest, leave it out of spec.manifests.',
  },
  'missing-name': {
    means: 'A document or an entry lacks what says which object it is.',
    remedy: 'Write its name, or the fields that the message names.',
  },
  'missing-on-create': {
    severity: 'warning',
    means: 'A field is missing that the platform needs to create the object. Plan tells whether that is to be done.',
    remedy: 'Write the field, unless the object exists.',
  },
  'file-outside': {
    means: 'A ${file:…} placeholder names a file outside of the repository: by its path, or through a link.',
    remedy: 'Use a file of the repository, or allow the folder of mounted secrets with --allow-file.',
  },
  'missing-value-file': {
    means: 'A ${file:…} placeholder names a file that cannot be read.',
    remedy: 'Correct the path: it starts from the manifest.',
  },
  'name-differs': {
    means: 'A name is written twice, differently.',
    remedy: 'Leave it out in one place, or write the same.',
  },
  'name-is-address': {
    means: 'A reference is written as addresses show a pinned object: name~id.',
    remedy: 'Write the name alone, or {name, id}.',
  },
  'former-name-used': {
    means: 'A reference uses a name that metadata.formerly says is an earlier one.',
    remedy: 'Write the new name.',
  },
  'names-in-circle': {
    means:
      'Siblings say in metadata.formerly that they had each other’s names: nothing tells whether they have exchanged them.',
    remedy: 'Pin each with metadata.id, or take formerly out if the names are right already.',
  },
  'not-a-host': {
    severity: 'warning',
    means: 'A field for a host name has another value, such as a URL or a name with a path.',
    remedy: 'Write the name alone, with a port if it has one.',
  },
  'not-in-order': {
    severity: 'warning',
    means: 'A date lies before another that it should follow.',
    remedy: 'Correct one of the two; the platform may take them all the same.',
  },
  'null-on-required': {
    means: 'A required field is to be cleared with null.',
    remedy: 'Write a value, or leave the field out to leave it alone.',
  },
  'out-of-range': {
    severity: 'warning',
    means: 'A number has a value that means nothing, such as a percentage above 100.',
    remedy: 'Correct it; the platform may take it all the same.',
  },
  'project-among-manifests': {
    means: 'A document of kind Project is among the manifests.',
    remedy: 'Leave the file out of spec.manifests; -C names the folder of the project file.',
  },
  'read-only-field': { means: 'The field cannot be written there.', remedy: 'Take it out of the manifest.' },
  'reserved-variable': {
    means: 'A placeholder names a variable that holds credentials: GATEWRIGHT_…, and PG… in project files.',
    remedy: 'Give the value in a variable of its own.',
  },
  'secret-name': {
    means: 'A name, a reference or metadata takes its value from a secret.',
    remedy: 'If the variable is not a secret, list it in spec.secrets.public of the project file.',
  },
  'secret-unavailable': {
    severity: 'note',
    means: 'The value of a secret placeholder is not set here. validate and plan work without it.',
    remedy: 'Set it where the plan is applied.',
  },
  'skipped-document': {
    severity: 'note',
    means: 'A document in a file that spec.manifests does not name is not a manifest.',
    remedy: 'Name the manifests in spec.manifests of the project file.',
  },
  'too-deep': {
    means: 'Too many mappings, lists or values stand inside each other.',
    remedy: 'Write the document flatter; replace values by their texts.',
  },
  'too-large': {
    means: 'With its aliases written out the document has too many values.',
    remedy: 'Split it, or write fewer aliases of aliases.',
  },
  'uncovered-domain': {
    severity: ['warning', 'note'],
    means:
      'A domain fits no declared Domain, or, as plan finds, no live one either; the platform refuses domains that are not active in the area.',
    remedy: 'Declare the Domain, or correct the spelling.',
  },
  'domain-still-used': {
    severity: 'warning',
    means: 'A plan deletes or renames a Domain, and objects that stay have host names that no other Domain covers.',
    remedy: 'Keep the Domain, or change those host names first.',
  },
  'undeclared-reference': {
    severity: 'note',
    means: 'No manifest declares the object that is referred to. Plan looks for it on the platform.',
    remedy: 'Nothing, if it exists there; else declare it or correct the name.',
  },
  'unknown-api-version': {
    means: 'The document has no apiVersion, or another one.',
    remedy: 'Write apiVersion: gatewright/v1.',
  },
  'unknown-field': { means: 'The kind has no such field.', remedy: 'gatewright explain KIND lists its fields.' },
  'unknown-key': {
    means: 'A manifest has a key that none has.',
    remedy: 'The keys are apiVersion, kind, metadata and spec.',
  },
  'unknown-kind': {
    means: 'There is no such kind, or it does not belong there.',
    remedy: 'gatewright explain lists the kinds.',
  },
  'unknown-metadata': { means: 'metadata has no such key for this kind.', remedy: 'Take it out, or correct it.' },
  'placeholder-in-key': {
    severity: 'warning',
    means: 'A ${…} is in a key; placeholders work only in values.',
    remedy: 'Write the key out.',
  },
  'unknown-placeholder': {
    means: 'A ${…} is not a known placeholder, or has no end.',
    remedy: 'Correct it; a literal ${ is written $${.',
  },
  'unknown-value': {
    means: 'The field takes only certain words.',
    remedy: 'gatewright explain KIND.FIELD lists them.',
  },
  'unset-variable': {
    means: 'A ${env:NAME} placeholder names a variable that is not set and is not a secret.',
    remedy: 'Set it in the environment.',
  },
  'variable-not-allowed': {
    means: 'A ${env:NAME} placeholder names a variable that spec.secrets.env of the project file does not list.',
    remedy: 'List it there, or use another one.',
  },
  'wrong-type': {
    means: 'The value has another type than the field takes.',
    remedy: 'gatewright explain KIND.FIELD tells it.',
  },
  'yaml-alias': {
    means: 'A YAML alias or merge key refers to nothing that can be repeated there.',
    remedy: 'Define the anchor before it, write the value out, or put the text in quotes.',
  },
  'yaml-syntax': {
    means: 'The text is not YAML.',
    remedy: 'Correct it at the place; nothing of the document was checked further.',
  },
  'yaml-warning': {
    severity: 'warning',
    means: 'The YAML has something without meaning in manifests, such as a tag of one’s own.',
    remedy: 'Take it out.',
  },
  // OpenAPI
  'openapi-broken': {
    means: 'An OpenAPI file is not built as OpenAPI files are, where endpoints are read from it.',
    remedy: 'Correct it at the place; `redocly lint` finds more of the kind.',
  },
  'openapi-detection': {
    severity: 'warning',
    means: 'One endpoint serves several paths, and the key that finds methods in calls does not tell them apart.',
    remedy: 'Make an endpoint of each path, or write no methods.',
  },
  'openapi-empty': {
    means: 'A document of kind OpenAPI gives no endpoint at all.',
    remedy: 'Correct what it selects. To have the endpoints deleted, remove the document.',
  },
  'openapi-extension': {
    means: 'A key x-gatewright-… is unknown, has no effect at its place, or contradicts another one.',
    remedy: 'The message says where the key is allowed.',
  },
  'openapi-file': {
    means: 'The file that a document of kind OpenAPI or a $ref names cannot be read.',
    remedy: 'Correct the path; it starts at the file that names it, and nothing is fetched from a network.',
  },
  'openapi-imported': {
    severity: 'warning',
    means: 'What import has written as manifests is still declared elsewhere, or no longer.',
    remedy: 'The message says which document to remove.',
  },
  'openapi-name': {
    means: 'An endpoint gets no name, or the name of another one, or spec has an unknown {word}.',
    remedy: 'Correct spec.name or the word, or write x-gatewright-name.',
  },
  'openapi-name-part': {
    severity: 'warning',
    means: 'spec.name uses something that the OpenAPI file does not say of an endpoint.',
    remedy: 'Write it there: once it is written, the name is another one.',
  },
  'openapi-odd-path': {
    severity: 'warning',
    means: 'A path of an OpenAPI file has a query or a fragment.',
    remedy: 'Take it out of the path.',
  },
  'openapi-operation': {
    means: 'An operation lacks what the document of kind OpenAPI makes endpoints or methods of.',
    remedy: 'Write it in the OpenAPI file, or choose other endpoints or methods.',
  },
  'openapi-reference': {
    means: 'A $ref leads to nothing, or back to itself.',
    remedy: 'Correct it.',
  },
  'openapi-route': {
    means: 'Two endpoints of one OpenAPI document answer the same verb, path and domain.',
    remedy: 'Leave one of them out, or give it another path or domain.',
  },
  'openapi-selection': {
    severity: 'warning',
    means: 'What only or except says fits no operation.',
    remedy: 'Correct it, or take it out.',
  },
  'openapi-server': {
    means: 'The servers of an OpenAPI file do not say which hosts or which path an endpoint has.',
    remedy: 'Write systemDomains, requestPathAlias and outboundRequestTargetPath in the document of kind OpenAPI.',
  },
  'openapi-verb': {
    means: 'A path of an OpenAPI file has a verb that the platform lacks, or a key that means nothing.',
    remedy: 'Leave the operation out with x-gatewright-skip: true.',
  },
  'openapi-version': {
    means: 'A file is no OpenAPI document, or one of a version that is not read.',
    remedy: 'OpenAPI 2.0, 3.0, 3.1 and 3.2 are read.',
  },
  // Project and command line
  'area-not-named': {
    means: 'A ready token does not say which area it is for, and nothing may be changed without that.',
    remedy: 'Name the area: GATEWRIGHT_AREA, --area, or spec.platform.area.',
  },
  'bad-webhook': {
    means: 'The url of a webhook (spec.notify) is nothing that may be sent to.',
    remedy: 'Write one variable, ${env:NAME}, or an address that begins with https://.',
  },
  'webhook-not-named': {
    severity: 'warning',
    means: 'Only the project file names the host of a webhook: a pull request may have put it there. Nothing was sent.',
    remedy: 'Put its address into a variable, or name the host in GATEWRIGHT_HOSTS.',
  },
  'webhook-not-remembered': {
    severity: 'warning',
    means: 'The records do not remember, or could not store, which messages webhooks got.',
    remedy: 'Use records that every job can read and write: git, or PostgreSQL.',
  },
  'webhook-not-told': {
    severity: 'warning',
    means: 'A webhook did not accept its message. The exit code does not change.',
    remedy: 'Look at the reason; the next run tries again.',
  },
  'webhook-told': {
    severity: 'note',
    means: 'A webhook got a message about drift, a failed run, or recovery.',
    remedy: 'Nothing: it gets the next message when that changes, or as a reminder.',
  },
  'webhook-unset': {
    severity: 'note',
    means: 'The variable with the address of a webhook is not set, so it gets no message.',
    remedy: 'Set it in the job that should send messages; elsewhere do nothing.',
  },
  'host-not-named': {
    means: 'Only the project file names the host that the credentials of the environment would go to.',
    remedy: 'Name the host in GATEWRIGHT_HOSTS, or give GATEWRIGHT_URL or --url.',
  },
  'internal-error': { means: 'A bug in gatewright.', remedy: 'Report it with what --debug prints.' },
  'invalid-option': {
    means: 'An option, or what a program gives to a function, has a value that it does not take.',
    remedy: 'gatewright COMMAND --help tells what it takes; for programs the types do.',
  },
  'invalid-value': {
    means: 'The project file has a value that cannot be.',
    remedy: 'gatewright schema project tells what it takes.',
  },
  'missing-field': { means: 'The project file lacks a field.', remedy: 'Write it.' },
  'missing-project': {
    means: 'There is no project file that can be read.',
    remedy: 'gatewright init writes one; -C names its folder.',
  },
  'missing-settings': {
    means: 'Something is missing that is needed to reach the platform.',
    remedy: 'Set what the message names.',
  },
  'misspelt-variable': {
    severity: 'note',
    means: 'A variable of the environment has nearly the name of one that is looked for.',
    remedy: 'Set the one that the message names.',
  },
  'not-available': {
    means: 'The option does not go with this command.',
    remedy: 'The message says what to use instead.',
  },
  'platform-not-started': { means: 'The embedded platform cannot start.', remedy: 'The message says why.' },
  usage: {
    means: 'The command line, or what a program gives to a function, cannot be understood.',
    remedy: 'gatewright --help lists commands and options.',
  },
  // The platform's answers
  'answer-not-json': {
    means: 'Something that is no JSON came back.',
    remedy: 'Check that the URL is the base URL of the interface, and that no proxy answers in its place.',
  },
  'answer-not-list': {
    means: 'A list of objects was asked for, and something else came back.',
    remedy: 'Check the URL; a list in which something is missing is never taken for complete.',
  },
  'bad-url': {
    means: 'The URL of the platform is not valid, or contains a part that does not belong there.',
    remedy: 'Give the base URL: https://host[:port], without /v3, login or query.',
  },
  'collection-endless': {
    means: 'The pages of a collection never came to an end.',
    remedy: 'Check that nothing between this program and the platform answers in its place.',
  },
  'collection-incomplete': {
    means: 'A collection was not read in full; with less, objects could be created twice, so nothing was done.',
    remedy: 'Run the command again.',
  },
  'credentials-refused': {
    means: 'The platform refuses the login.',
    remedy: 'Check the variables that the message names.',
  },
  interrupted: { means: 'The command was interrupted.', remedy: 'Run it again.' },
  'no-answer': {
    means: 'A request got no answer: whether the platform received it is not known.',
    remedy: 'Run the command again.',
  },
  'not-this-interface': {
    means: 'The server does not have the collections, or the token endpoint, of the interface.',
    remedy: 'Check the base URL: without /v3/rest.',
  },
  'other-vocabulary': {
    means: 'The platform speaks other words than platform.vocabulary says: those of the document, or of the vendor.',
    remedy: 'Set platform.vocabulary, or GATEWRIGHT_VOCABULARY, to the one that the message names.',
  },
  'quota-too-small': {
    severity: 'warning',
    means: 'An apply would send more requests than the key has left today.',
    remedy: 'Apply later or in parts; nothing is done twice.',
  },
  'quota-used-up': {
    means: 'The calls of the day are used up.',
    remedy: 'Wait until the quota is renewed, then apply again.',
  },
  'request-redirected': {
    means: 'A request was redirected. Redirects are not followed: credentials would go elsewhere.',
    remedy:
      'Write the URL that it leads to; if it is the same path with a slash, let the server accept the path without it.',
  },
  'request-refused': {
    means: 'The platform refused a request, or failed.',
    remedy: 'The message has its words; `--log-http FILE` writes down what was asked and answered.',
  },
  throttled: {
    means: 'A request was turned away again and again because of too many calls a second.',
    remedy: 'Lower requestsPerSecond in the project file, or try later.',
  },
  unreachable: { means: 'The host cannot be reached.', remedy: 'Check the URL, the network and its proxies.' },
  'unusable-answer': {
    means: 'An answer is too long, too slow or broken, or the platform failed to give a token.',
    remedy:
      'Check that nothing between this program and the platform answers in its place. If the platform failed, run the command again later.',
  },
  'unusable-id': {
    means: 'An id of the platform cannot stand in a path; nothing was sent.',
    remedy: 'Change the object outside this program.',
  },
  // Records, files and snapshots
  'ambiguous-run': { means: 'Several runs begin with the name.', remedy: 'Give more of it.' },
  'bad-records': {
    means: 'spec.records names no place where records can be kept.',
    remedy:
      'Write file:FOLDER, git, git:REMOTE or postgres://USER@HOST/DATABASE; a FOLDER at home is ${env:HOME}/NAME, not ~/NAME.',
  },
  'database-failed': {
    means: 'The database of the records, or of a fleet, cannot be used.',
    remedy: 'Check spec.records or GATEWRIGHT_FLEET_DATABASE, the database and its login.',
  },
  'database-package-missing': {
    means: 'The package pg is not installed.',
    remedy: 'npm install pg@8 beside gatewright.',
  },
  'diff-side-unknown': {
    means: 'A side of diff is nothing that can be compared.',
    remedy: 'Name a snapshot file, a folder of manifests, live, env:NAME, or URL[#AREA].',
  },
  'git-failed': {
    means: 'The git remote of the records cannot be reached or used.',
    remedy: 'Check the network, and that git ls-remote works here.',
  },
  'git-missing': {
    means: 'Records in git, and files of a commit, need the program git.',
    remedy: 'Install git 2.32 or later.',
  },
  'git-owner': {
    means: 'git does not read the repository, because its folder belongs to another user. In containers this is usual.',
    remedy: 'git config --global --add safe.directory FOLDER, as the user who runs gatewright.',
  },
  'git-no-remote': {
    means: 'The repository has no remote of the name that spec.records says.',
    remedy: 'Add it (git remote add), or write records: git:REMOTE.',
  },
  'git-no-repository': {
    means: 'Records in git need a git repository around the project.',
    remedy: 'Check the project out with git, or keep the records elsewhere.',
  },
  'git-no-temporary': {
    means: 'Records in git need a folder for temporary files.',
    remedy: 'Set TMPDIR to a writable folder with free space.',
  },
  'git-refused': {
    means: 'The git host does not let this login read or push the refs of the records.',
    remedy: 'Let the job push: contents: write on GitHub, a job token that may push on GitLab.',
  },
  'lock-held': {
    means: 'Another run is changing the area.',
    remedy: 'Wait for it. The lock of a process that died is released by itself.',
  },
  'lock-lost': {
    means: 'The lock of the area was lost during the run; nothing further was sent.',
    remedy: 'Look at gatewright history, and apply again.',
  },
  'not-found': { means: 'No live object has the name or address.', remedy: 'gatewright get KIND lists them.' },
  'not-read': {
    severity: 'note',
    means:
      'Something is not shown: each object would cost a call, or the platform refuses to list what the document does not have.',
    remedy: 'Ask for it as the message says; of what is refused, ask who grants the rights of the login.',
  },
  'file-changed': {
    severity: 'error',
    means: 'Somebody saved a file while this worked out what to write into it.',
    remedy: 'Run the command again: it starts from what the file says now.',
  },
  'not-writable': {
    means: 'A file cannot be written.',
    remedy: 'Make its folder writable, or name a file in another one.',
  },
  'output-lost': {
    means: 'The output could not be written in full.',
    remedy: 'Do not use what was written; gatewright show latest tells what a run has done.',
  },
  'records-damaged': {
    means: 'The records hold something that no run has written.',
    remedy: 'Restore it, or move it away: history and prune are lost, but no object.',
  },
  'records-not-read': {
    means: 'The records cannot be read, and a run does not begin without them.',
    remedy: 'Make them readable.',
  },
  'records-not-written': {
    means: 'The records cannot be written, and nothing is sent that is not written down first.',
    remedy: 'Make room, or correct the permissions.',
  },
  'records-out-of-place': {
    means: 'Records of another project, environment or area lie where those of this one belong.',
    remedy: 'Move them away: history and prune are lost, but no object.',
  },
  'records-tracked': {
    means: 'git tracks the files of the records, so everyone who can change the repository could change them.',
    remedy: 'Take them out of git, or write records: git.',
  },
  'records-too-new': {
    means: 'A newer gatewright has written the records, or the tables of a fleet.',
    remedy: 'Use that version.',
  },
  shortage: {
    means: 'The machine has no more disk space or open files to give.',
    remedy: 'Free some space, or raise the limit (ulimit -n).',
  },
  'snapshot-secrets-unknown': {
    severity: 'warning',
    means: 'A snapshot file has no secrets, so that they were not compared.',
    remedy: 'Plan against the live area to compare them.',
  },
  'snapshot-unknown-collection': {
    means: 'The snapshot has a collection that the interface does not have.',
    remedy: 'Correct its name, or take it out.',
  },
  'snapshot-unreadable': { means: 'The file is not a snapshot.', remedy: 'gatewright snapshot --out FILE writes one.' },
  'unknown-git-reference': {
    means: 'git knows no such commit here.',
    remedy: 'Name a branch, tag or commit of the repository of the manifests; a shallow clone may lack it.',
  },
  'system-failed': {
    means: 'The system refuses what has to be done, such as reading a file.',
    remedy: 'Mend what the message names, and run the command again.',
  },
  'unknown-run': { means: 'No run has that name.', remedy: 'gatewright history lists them.' },
  // Planning
  'ambiguous-reference': {
    means: 'Several objects have the name that is referred to.',
    remedy: 'Write the reference as {name, id}.',
  },
  'former-name-is-live': {
    severity: 'warning',
    means: 'An object says that it once had a name that another live object has.',
    remedy: 'Take the name out of metadata.formerly if the other object is to be deleted.',
  },
  'applied-elsewhere': {
    severity: 'warning',
    means:
      'An object is no longer declared and stays: another environment of the area declares it, or the records of another project or environment have it, or something in it.',
    remedy:
      'Nothing, if it is theirs now: the next apply releases it from this project. Otherwise delete it with a document of kind Removed.',
  },
  'environment-unread': {
    severity: 'warning',
    means: 'The plan deletes objects, and another environment of the same area may declare them: it has errors.',
    remedy: 'Look at the deleted objects, and correct the other environment.',
  },
  'holds-unrecorded': {
    severity: 'warning',
    means:
      'An object is no longer declared and stays, since it holds something that no recorded run has made; or a rollback leaves it, since it holds something that the undone run has not made.',
    remedy: 'A document of kind Removed deletes it and everything in it; undo later runs first.',
  },
  'perhaps-ours': {
    severity: 'warning',
    means: 'An interrupted run was about to create an object that is live and that no manifest has any more.',
    remedy: 'A document of kind Removed deletes it.',
  },
  'last-one-stays': {
    severity: 'note',
    means: 'An object is no longer declared and stays, since its parent keeps at least one.',
    remedy: 'Nothing, unless it should be another one: then declare that.',
  },
  'used-one-stays': {
    severity: 'note',
    means: 'A written list lacks what the platform added by itself, which stays, since something uses it.',
    remedy: 'Nothing, unless it should go: then let what uses it name another one.',
  },
  'name-looks-alike': {
    severity: 'warning',
    means: 'The names of two objects differ in their Unicode form alone.',
    remedy: 'Write both alike if one object is meant; gatewright get shows live names.',
  },
  'not-listed': {
    means: 'An object exists by its id, and the platform does not list it yet.',
    remedy: 'Run the command again later.',
  },
  'nothing-to-remove': {
    severity: ['warning', 'note'],
    means: 'The object that a Removed document names is gone, or its address is written like a pattern.',
    remedy: 'Delete the document, or write one for each object.',
  },
  'parent-not-found': {
    means: 'The object that something belongs to does not exist.',
    remedy: 'Declare it, or correct the name.',
  },
  'perhaps-being-created': {
    severity: 'warning',
    means: 'An interrupted run may still be creating an object.',
    remedy: 'Nothing: apply waits before it creates it.',
  },
  'pinned-not-found': { means: 'No live object has the id of metadata.id.', remedy: 'Correct the id, or remove it.' },
  'reference-to-nothing': {
    means: 'A reference names what no manifest declares and the live area does not hold.',
    remedy: 'Declare it, or correct the name.',
  },
  'reference-to-removed': {
    means: 'A reference names what the plan would delete.',
    remedy:
      'Remove the reference, or keep the object; if it is renamed, write metadata.formerly and refer to it by its new name.',
  },
  'required-field-missing': {
    means: 'An object must be created or updated and lacks required fields.',
    remedy: 'Write them.',
  },
  'secret-hidden': {
    means:
      'An object must be created again, or one of its fields sent as a whole, and the platform shows something like "****" in place of a secret that no manifest writes.',
    remedy: 'Write the secret: it cannot be copied from the platform.',
  },
  'stored-otherwise': {
    severity: ['error', 'warning'],
    means: 'The records know an object by its id, and it has another name on the platform.',
    remedy: 'Write that name, or pin the object with metadata.id to give it the name of the manifest.',
  },
  'two-for-one-object': {
    means: 'Two documents stand for the same live object.',
    remedy: 'Remove one, or correct metadata.id or metadata.formerly.',
  },
  // Things that apply does only with an option
  'managed-no-more': {
    severity: 'note',
    means: 'A rollback undoes a run that took over existing objects: they become unmanaged again.',
    remedy: 'Nothing: the next apply of manifests that have them takes them over again.',
  },
  'still-in-manifests': {
    severity: 'warning',
    means:
      'A rollback undoes what a run did on the platform. It does not change the manifests, which may still have the changes.',
    remedy: 'Revert the commit as well, or the next apply makes the changes again.',
  },
  'left-undone': {
    severity: 'warning',
    means:
      'A run was interrupted before it had done everything, or before it had looked whether the platform keeps what it did.',
    remedy: 'Go on with `gatewright apply --resume`, or with the same rollback; if every change is made, plan.',
  },
  'accept-needs': {
    means: 'Accepted drift needs a reason, an owner and a last day.',
    remedy: 'Give --reason, --owner and --expires.',
  },
  'accepted-drift-broken': {
    means: 'The file of accepted drift cannot be read.',
    remedy: 'Correct it, or write it with drift --accept.',
  },
  'base-incomplete': {
    severity: 'warning',
    means: 'A part of the manifests at the commit of --base cannot be read, so it is not known whether it was applied.',
    remedy: 'Name another commit that was applied, or leave --base out: then the records are the base.',
  },
  blocked: {
    means: 'The interface has no way to make a change.',
    remedy: 'Apply the rest with --skip-blocked, or remove the change.',
  },
  'cannot-accept': {
    means: 'A secret cannot be accepted without its value and a key for its fingerprint.',
    remedy: 'Set GATEWRIGHT_FINGERPRINT_KEY, and the variable that the secret comes from.',
  },
  'cannot-undo': {
    severity: 'warning',
    means: 'A rollback cannot bring something back in full.',
    remedy: 'Apply the manifests of that time, with their secrets.',
  },
  'cannot-verify': {
    severity: ['warning', 'note'],
    means: 'The platform does not show the current value of a field; it is left as it is.',
    remedy: 'The message says what lets it be compared.',
  },
  'change-blocked': {
    means: 'A change was not done: one that it needs was not done, or the interface has no way to make it.',
    remedy: 'Correct the cause, and apply again.',
  },
  'change-failed': {
    means: 'The platform refused a change, or its outcome is not known.',
    remedy: 'Correct the cause, and apply again: nothing is done twice.',
  },
  'change-not-kept': {
    means: 'The platform took a change and does not show it.',
    remedy: 'Write in the manifest only what this platform keeps.',
  },
  'change-waiting': {
    means: 'A change waits for the approval of a domain.',
    remedy: 'Apply again when it is approved, or use --wait-domains.',
  },
  conflict: {
    means: 'A field was changed in the manifests and on the platform since it was last applied.',
    remedy: 'Decide with --take manifest or --take live.',
  },
  'handed-back': {
    severity: 'warning',
    means: 'A field is no longer written, and somebody changed it since, or the field is unknown: it is left as it is.',
    remedy: 'Nothing, unless the value is wrong: then write it, or null.',
  },
  hazard: {
    means: 'A plan would affect the holders of keys, or cannot be undone.',
    remedy: 'If that is intended, allow it with --allow NAME.',
  },
  'left-as-it-is': {
    severity: 'warning',
    means: 'A rollback does not touch objects that somebody changed since the run, and objects that depend on them.',
    remedy: 'Correct it by hand, or with an apply.',
  },
  'limit-changed-percent': {
    means: 'A plan changes a larger part of the area than limits.changedPercent.',
    remedy: 'Look at the changes; if they are meant, raise the limit.',
  },
  'limit-deletes': {
    means: 'A plan deletes or replaces more objects than limits.deletes.',
    remedy: 'Look at the deletes; if they are meant, raise the limit.',
  },
  'needs-unselected': {
    means: 'A selected change needs another one that is not selected.',
    remedy: 'Select it as well.',
  },
  'no-base': {
    severity: ['warning', 'note'],
    means:
      'It is not known what was last applied: nothing can be deleted, and changes on the platform cannot be told from yours.',
    remedy: 'Keep the records of apply (spec.records), or name the commit that was last applied with --base.',
  },
  'no-confirmation': {
    means: 'There is no terminal to ask for confirmation.',
    remedy: 'Confirm in advance with --yes.',
  },
  'nothing-selected': {
    means: 'A selection fits nothing.',
    remedy: 'Correct it: addresses are Kind/name, labels key or key=value.',
  },
  'nothing-to-resume': { means: 'The last run left nothing to resume.', remedy: 'Apply without --resume.' },
  'other-manifests': {
    means: 'The run to resume was made from other manifests.',
    remedy: 'Apply without --resume.',
  },
  'other-target': {
    means: 'A saved plan was made for another platform, area or project.',
    remedy: 'Plan again for this one.',
  },
  'proof-impossible': {
    means:
      'The live area cannot be rebuilt on the embedded platform, or a snapshot file leaves out secrets that it takes.',
    remedy: 'Plan without --prove, or without --snapshot.',
  },
  protected: {
    means: 'A plan would delete or replace a protected object.',
    remedy: 'Remove metadata.protect, and apply that first.',
  },
  'replace-not-allowed': {
    means: 'An object would be deleted and created again.',
    remedy: 'Allow it with --allow-replace.',
  },
  'route-taken': {
    severity: 'warning',
    means:
      'A plan gives an endpoint a verb, a public domain and a path that a live endpoint has which no manifest declares.',
    remedy: 'Choose another route, take the other endpoint over by declaring it, or delete it on the platform.',
  },
  'same-route': {
    severity: 'warning',
    means: 'Two endpoints have a verb, a public domain and a path in common; platforms refuse the second one.',
    remedy: 'Give one of them another path, other verbs or other domains.',
  },
  'saved-plan-broken': { means: 'The file is not a saved plan.', remedy: 'Write it with gatewright plan --out FILE.' },
  'saved-plan-changed': {
    means: 'A saved plan is not as plan wrote it; nothing was done.',
    remedy: 'Plan again, and check the new plan.',
  },
  'saved-plan-not-sealed': {
    severity: ['error', 'warning'],
    means:
      'Nothing tells whether a saved plan is as plan wrote it: it has no seal, or the key of its seal is not there.',
    remedy: 'Give plan and apply the same GATEWRIGHT_FINGERPRINT_KEY, and write the plan with plan --out.',
  },
  'saved-plan-wider': {
    means: 'A saved plan was made with options that neither the project file nor the command line of apply allows.',
    remedy: 'Give the same options to apply, if they are meant.',
  },
  'stale-plan': {
    means: 'What a plan rests on has changed since it was made; nothing was done.',
    remedy: 'Plan again, and check the new plan.',
  },
  'suspected-rename': {
    means: 'An object would be created beside a similar one: it looks like a rename, and a new id loses keys.',
    remedy:
      'Write metadata.formerly if it is a rename, or, of a member, the name that it has; else allow it with --allow ID_CHANGE.',
  },
  'temporary-path': {
    severity: 'warning',
    means: 'A run that did not finish left an endpoint at a temporary path.',
    remedy: 'Apply again: the endpoint gets the path of its manifest.',
  },
  // Findings of drift
  'changed-on-platform': {
    severity: 'warning',
    means: 'A field was changed on the platform since it was last applied.',
    remedy: 'Apply the manifests, bring the change into them with drift --write, or accept it with drift --accept.',
  },
  'created-on-platform': {
    severity: 'warning',
    means: 'An object was created on the platform, where the manifests say all that there is.',
    remedy:
      'Bring it into the manifests with drift --write, remove it on the platform, or accept it with drift --accept.',
  },
  'deleted-on-platform': {
    severity: 'warning',
    means: 'An object of a manifest was deleted on the platform.',
    remedy: 'Apply the manifests to create it again, remove its manifest, or accept it with drift --accept.',
  },
  'remaining-on-platform': {
    severity: 'warning',
    means: 'An object was removed from the manifests, and is still on the platform, because nothing may delete it.',
    remedy:
      'Apply all manifests with --prune applied to delete it, bring it back into the manifests with drift --write, or accept it with drift --accept.',
  },
  'differs-from-platform': {
    severity: 'warning',
    means: 'Manifests and platform differ, and nothing tells which of them has changed.',
    remedy: 'Keep the records of apply (spec.records), or name the commit that was last applied with --base.',
  },
  // Writing manifests
  'dangling-reference': {
    severity: 'warning',
    means: 'A live reference is to something that the area does not have; the field is left out.',
    remedy: 'Look at the object on the platform.',
  },
  'export-into-link': {
    means: 'An export would write behind a link to a folder, where manifests are not looked for.',
    remedy: 'Make it a folder, or export to the folder that it leads to.',
  },
  'manifests-not-named': {
    severity: 'warning',
    means: 'init wrote a project file, and manifests stand where it does not look for any.',
    remedy: 'Move them into the folder manifests, or add them to spec.manifests.',
  },
  'export-outside-manifests': {
    severity: 'warning',
    means: 'The folder of an export is not among the manifests of the project.',
    remedy: 'Add it to spec.manifests.',
  },
  'folder-not-empty': {
    means: 'export --stages writes a separate project, and its folder has files, or belongs to another project.',
    remedy: 'Name a new folder.',
  },
  'kind-left-out': {
    severity: 'note',
    means: 'The interface has no way to write objects of the kind; they are left out.',
    remedy: 'Nothing.',
  },
  'manifest-written': { severity: 'note', means: 'A manifest was created, updated or deleted.', remedy: 'Nothing.' },
  'no-project-file': {
    severity: 'note',
    means: 'An export was made where no project file is.',
    remedy: 'gatewright init writes one.',
  },
  'not-written': {
    severity: 'warning',
    means: 'Something could not be brought into a manifest.',
    remedy: 'Edit it by hand.',
  },
  'object-without-name': {
    severity: 'warning',
    means: 'A live object has no name; it is left out.',
    remedy: 'Give it a name on the platform.',
  },
  'limited-to-environment': {
    severity: 'note',
    means: 'New objects were written for one environment only.',
    remedy: 'Nothing; --into manifest writes them for all, or remove metadata.environments.',
  },
  'of-other-environment': {
    severity: 'note',
    means:
      'A live object was left out of an export or of get --unmanaged, as another environment of the same area desires it.',
    remedy: 'Nothing; export for that environment as well.',
  },
  'patch-written': {
    severity: 'note',
    means: 'What is live in one environment is now written in patches of that environment.',
    remedy: 'Nothing; --into manifest writes it into the manifests, for all environments.',
  },
  'value-kept': {
    severity: 'note',
    means: 'A value was not changed, since other fields take it that are live with what it is.',
    remedy: 'Nothing: a patch says what is live in the one field. Or give the field a value of its own.',
  },
  'value-written': {
    severity: 'note',
    means: 'A declared value was changed to the live value of the fields that use it.',
    remedy: 'Nothing; look at the other fields that take it, which are named.',
  },
  'written-for-all': {
    severity: 'note',
    means: 'What was written holds for other environments as well.',
    remedy: 'Look at their plans; without --into manifest it is written for the chosen environment only.',
  },
  'placeholder-replaced': {
    severity: 'warning',
    means: 'The value of a placeholder differed from the live value, which replaced it.',
    remedy: 'Put it back if the live value is meant for one environment only.',
  },
  pruned: { severity: 'note', means: 'The manifest of an object that is gone was removed.', remedy: 'Nothing.' },
  'prune-of-everything': {
    means: 'No declared object is on the platform; --prune would remove all manifests.',
    remedy: 'Check that it is the right area.',
  },
  renamed: {
    severity: 'note',
    means: 'An object was renamed on the platform, and its manifest has the new name now.',
    remedy: 'Nothing.',
  },
  'secret-needed': {
    means: 'A change would send a secret that is not set here.',
    remedy: 'Set the variable, or give the file, where the plan is applied.',
  },
  'secret-not-verified': {
    severity: 'note',
    means:
      'A secret is not set here, and nothing tells whether the live value, or the other side of a diff, has the same.',
    remedy: 'Nothing, if the plan is only looked at; else set the secret.',
  },
  'secret-differs': {
    severity: 'warning',
    means: 'The live value of a secret differs from the value of its placeholder, which is kept.',
    remedy: 'Set the variable to the live value, or apply the manifest.',
  },
  'field-left-out': {
    severity: 'note',
    means: 'Live objects have an unknown field; the export left it out.',
    remedy: 'Nothing, or write the field under metadata.extraFields.',
  },
  'nothing-exported': {
    severity: 'warning',
    means: 'What was to be exported has no objects, and the folder has no manifests.',
    remedy: 'Write manifests; look at --kind, at the snapshot file, or at the area that the credentials are for.',
  },
  'secrets-left-out': {
    severity: 'note',
    means: 'An export has left out secrets; what is not written is not managed.',
    remedy: 'Nothing, or export with --with-secrets; write the fields that hold a secret beside other words by hand.',
  },
  'stage-unclear': {
    severity: ['warning', 'note'],
    means: 'A name has the words of several stages, or of one whose object the other stages do not have.',
    remedy: 'Look whether its manifest is in the right environments: metadata.environments says it.',
  },
  'stage-without-objects': {
    means: 'A stage of export --stages is in the name of no object, or none has a counterpart in another stage.',
    remedy: 'Write the stages as they stand in the names of objects.',
  },
  'value-not-writable': {
    severity: 'warning',
    means: 'A live value is not allowed in a manifest; the field is left out.',
    remedy: 'Give it a value of the catalogue on the platform.',
  },
  vanished: {
    severity: 'warning',
    means: 'An object of a manifest is not on the platform; the manifest is kept.',
    remedy: 'Apply to create it again, or remove the manifest.',
  },
} satisfies Readonly<Record<string, CodeRow>>

/** The kind of a problem: a stable name in kebab-case. */
export type ProblemCode = keyof typeof rows

/** The codes of problems that can have that severity. */
export type CodeOf<Level extends Severity> = {
  [Code in ProblemCode]: Level extends SeverityIn<(typeof rows)[Code]> ? Code : never
}[ProblemCode]

type SeverityIn<Row> = Row extends { readonly severity: infer Level }
  ? Level extends readonly (infer One)[]
    ? One
    : Level
  : 'error'

/** All problem codes, with their meanings and remedies. */
export const problemCodes: Readonly<Record<ProblemCode, CodeRow>> = rows

/** The severities that problems with that code can have, the most severe first. */
export function severitiesOf(code: ProblemCode): readonly Severity[] {
  const { severity = 'error' } = problemCodes[code]
  return typeof severity === 'string' ? [severity] : severity
}
