import { describe, expect, it } from '@jest/globals';
import { RepeatedFaults } from './logger-options.js';

function fault(message: string, place = 'ingest (a.ts:1:2)', type = 'TypeError'): Error {
  const stack = `${type}: ${message}\n    at ${place}`;
  return Object.assign(new Error(message), { name: type, stack });
}

describe('Faults in the log', () => {
  it('have their stack once an hour, whatever they say', () => {
    let now = 0;
    const faults = new RepeatedFaults(() => now);
    const logged = ['a', 'b', 'c'].map((message) => faults.forLog(fault(message)));

    const id = logged[0]?.fault;
    expect(logged).toEqual([
      {
        type: 'TypeError',
        message: 'a',
        fault: id,
        stack: 'TypeError: a\n    at ingest (a.ts:1:2)',
        repeated: 0,
      },
      { type: 'TypeError', message: 'b', fault: id, repeated: 1 },
      { type: 'TypeError', message: 'c', fault: id, repeated: 2 },
    ]);
    now = 3_600_000;
    const again = faults.forLog(fault('d'));
    expect(again).toEqual(expect.objectContaining({ fault: id, stack: expect.any(String) }));
  });

  it('differ by place and type', () => {
    const faults = new RepeatedFaults();
    const errors = [
      fault('x'),
      fault('x', 'deliver (b.ts:3:4)'),
      fault('x', 'ingest (a.ts:1:2)', 'RangeError'),
    ].map((error) => faults.forLog(error));

    expect(new Set(errors.map(({ fault: id }) => id)).size).toBe(3);
    expect(errors.every(({ stack }) => stack !== undefined)).toBe(true);
  });

  it('are forgotten one by one when there are too many', () => {
    const faults = new RepeatedFaults();
    const of = (n: number) => fault('x', `place ${n}`);
    for (let n = 0; n <= 200; n++) {
      faults.forLog(of(n));
    }

    expect(faults.forLog(of(0)).stack).toEqual(expect.any(String));
    expect(faults.forLog(of(200)).stack).toBeUndefined();
  });
});
