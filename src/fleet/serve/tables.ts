/** The changes of the fleet tables by version, the oldest first; `stores/postgres/schema.ts` explains how they are applied. */
export const fleetTables = {
  name: 'fleet_version',
  versions: [
    `
  create table gatewright.fleets (
    fleet text primary key,
    -- What the tokens of its pages are made with.
    secret text not null
  );
  create table gatewright.fleet_results (
    fleet text not null,
    area text not null,
    -- Why the job ran: a moment of a schedule, or a step of a rollout. One result for each.
    occasion text not null,
    command text not null,
    state text not null,
    started timestamptz not null,
    seconds real not null,
    requests integer,
    summary json not null,
    -- Digest of what would change, without the area's own names.
    changes text,
    editor text,
    diagnostics json not null,
    worker text not null,
    written timestamptz not null default now(),
    primary key (fleet, area, occasion)
  );
  create index on gatewright.fleet_results (fleet, written);
  create table gatewright.fleet_reports (
    fleet text not null,
    area text not null,
    occasion text not null,
    html bytea not null,
    primary key (fleet, area, occasion),
    foreign key (fleet, area, occasion) references gatewright.fleet_results on delete cascade
  );
  create table gatewright.fleet_areas (
    fleet text not null,
    area text not null,
    occasion text not null,
    state text not null,
    -- Since when it is in that state, and when it was looked at last.
    since timestamptz not null,
    checked timestamptz not null,
    -- When it was last looked at without an error.
    answered timestamptz,
    editor text,
    changes text,
    has_report boolean not null,
    primary key (fleet, area)
  );
  create table gatewright.fleet_calls (
    fleet text not null,
    key text not null,
    day date not null,
    calls integer not null,
    primary key (fleet, key, day)
  );
  create table gatewright.fleet_rollouts (
    fleet text not null,
    rollout text not null,
    started timestamptz not null default now(),
    ended timestamptz,
    who text not null,
    -- Areas, waves and stop rule as they were when it was started.
    request json not null,
    status text not null,
    -- The wave that it is at, from 0.
    wave integer not null default 0,
    paused boolean not null default false,
    stopped boolean not null default false,
    why text,
    primary key (fleet, rollout)
  );
  create table gatewright.fleet_rollout_areas (
    fleet text not null,
    rollout text not null,
    area text not null,
    wave integer not null,
    position integer not null,
    state text not null,
    -- Digest of its changes, and of the saved plan itself; the plan, packed.
    changes text,
    plan_digest text,
    plan bytea,
    summary json,
    began timestamptz,
    attempts integer not null default 0,
    why text,
    primary key (fleet, rollout, area),
    foreign key (fleet, rollout) references gatewright.fleet_rollouts on delete cascade
  );
  create table gatewright.fleet_decisions (
    fleet text not null,
    id bigint generated always as identity primary key,
    rollout text not null,
    at timestamptz not null default now(),
    who text not null,
    decision text not null,
    wave integer,
    -- Of the plans that were approved.
    digest text,
    foreign key (fleet, rollout) references gatewright.fleet_rollouts on delete cascade
  );
  `,
    `
  -- Why no job of the area was begun.
  alter table gatewright.fleet_areas add column waits text;
  alter table gatewright.fleet_rollout_areas add column waits text;
  `,
  ],
} as const
