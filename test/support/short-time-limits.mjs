/**
 * Preloaded: makes the time limit of outgoing requests ten times shorter, and lets names below `gone.example` not
 * resolve without asking a name server.
 */
import dns from 'node:dns';

const LIMIT_MS = 30_000;
const SPEED = 10;
const setRightTimeout = globalThis.setTimeout;
const lookup = dns.lookup;

globalThis.setTimeout = Object.assign(
  (work, ms, ...given) => setRightTimeout(work, ms === LIMIT_MS ? ms / SPEED : ms, ...given),
  setRightTimeout,
);

dns.lookup = (name, options, done) => {
  if (name.endsWith('.gone.example')) {
    const error = Object.assign(new Error(`ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
    setImmediate(typeof options === 'function' ? options : done, error);
  } else {
    lookup(name, options, done);
  }
};
