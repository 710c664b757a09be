/** A function that runs in the database, with the triggers that call it. */
export interface DatabaseFunction {
  readonly name: string;
  /** Arguments, result and body, as in `create function`; if it has triggers, only its statements. */
  readonly text: string;
  /** By name, as in `create trigger` up to `execute function`. */
  readonly triggers?: Readonly<Record<string, string>>;
  /** Where the triggers exist: while readers are on one server, or on several; default: on both. */
  readonly onlyOn?: keyof typeof KIND_OF_FOLLOWER;
  /** The class that reads what it writes or hears what it announces, or the function that calls it. */
  readonly readBy: string;
  readonly reason: string;
  /** The migration that applies it as it is here; default: `0108-functions`. */
  readonly appliedBy?: string;
}

/** In `pg_class`: a view, or where Citus refuses triggers on the tables of readers, a table. */
const KIND_OF_FOLLOWER = { 'one server': 'v', 'several servers': 'r' } as const;

export function tableOf(trigger: string): string {
  return / on (\w+)/.exec(trigger)?.[1] ?? '';
}

/** Statements that make a function and its triggers, or replace them. */
export function statementsOf({ name, text, triggers, onlyOn }: DatabaseFunction): string[] {
  const definition =
    triggers === undefined
      ? text
      : `() returns trigger language plpgsql as $$
      begin
        ${text}
        return null;
      end $$`;
  const create = Object.entries(triggers ?? {}).map(
    ([trigger, when]) => `create or replace trigger ${trigger} ${when} execute function ${name}()`,
  );
  const kind = onlyOn && KIND_OF_FOLLOWER[onlyOn];
  return [
    `create or replace function ${name}${definition}`,
    ...(kind === undefined
      ? create
      : create.map(
          (statement) => `do $do$ begin
             if (select relkind = '${kind}' from pg_class where oid = 'follower'::regclass) then
               ${statement};
             end if;
           end $do$`,
        )),
  ];
}
