import { tracedCall } from '../../common/tracing/spans.js';
import { preparedName } from '../prepared.js';

/** A statement as a span: its text, never its values. */
export async function tracedStatement<Result>(
  sql: string,
  run: () => Promise<Result>,
): Promise<Result> {
  return tracedCall(nameOf(sql), attributesOf(sql), run);
}

/** The name of a prepared statement, or the verb of another. */
function nameOf(sql: string): string {
  return preparedName(sql) ?? /\w+/.exec(sql)?.[0] ?? 'statement';
}

function attributesOf(sql: string) {
  return { 'db.system.name': 'postgresql', 'db.query.text': sql };
}
