import { z } from 'zod';
import { text } from '../../parameters.js';
import { readClientCertificate } from './client-certificate.js';

const LONGEST_USER_NAME = 255;
const LONGEST_PASSWORD = 1024;
const LONGEST_USER_AGENT = 500;
const LONGEST_COOKIE = 4096;
const LONGEST_TOKEN = 4096;
const LONGEST_HEADER = 4096;
const LONGEST_CERTIFICATE = 32_768;

/** Null and empty remove the value; absent ones are unchanged. */
const value = (longest: number, allowed: RegExp, rule: string) =>
  z.preprocess((given) => (given === null ? '' : given), line(longest, allowed, rule).optional());

const line = (longest: number, allowed: RegExp, rule: string) =>
  text
    .max(longest, { error: `must have at most ${longest} characters` })
    .regex(allowed, { error: rule });

const WITHOUT_CONTROL_CHARACTERS = /^\P{Cc}*$/u;
/** Characters allowed in a header; a line break would begin another header. */
const HEADER = /^[\x20-\x7e]*$/;
const HEADER_RULE = 'must be one line of ASCII characters';

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
const WITH_A_FIELD = /^(?:authorization|cookie|user-agent)$/;
/** Of the connection, of the document, of conditional requests, and what proxies say of the client. */
const SET_BY_SERVICE =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|expect|via|range|accept-encoding|cookie2|set-cookie2?|date|forwarded|x-real-ip|(?:content|proxy|if|sec|x-forwarded)-.*)$/;

const HeadersInput = z
  .record(z.string(), line(LONGEST_HEADER, HEADER, HEADER_RULE).nullable())
  .transform((given, context): Readonly<Record<string, string>> => {
    const entries = Object.entries(given).map(([name, sent]) => [name.toLowerCase(), sent ?? '']);
    for (const name of Object.keys(given)) {
      const fault = faultOfName(name.toLowerCase());
      if (fault !== null) {
        context.addIssue({ code: 'custom', message: `must not have the name ${name}: ${fault}` });
      }
    }
    return Object.fromEntries(entries) as Record<string, string>;
  });

function faultOfName(name: string): string | null {
  if (!HEADER_NAME.test(name)) {
    return 'it is no name of a header';
  }
  if (WITH_A_FIELD.test(name)) {
    return 'it has a field of its own';
  }
  return SET_BY_SERVICE.test(name) ? 'the connection sets it' : null;
}

const pem = text.max(LONGEST_CERTIFICATE, {
  error: `must have at most ${LONGEST_CERTIFICATE} characters`,
});

const CertificateInput = z
  .strictObject({
    certificate: pem,
    key: pem.default(''),
    passphrase: text
      .max(LONGEST_PASSWORD, { error: `must have at most ${LONGEST_PASSWORD} characters` })
      .default(''),
  })
  .transform(({ certificate, key, passphrase }, context) => {
    try {
      return readClientCertificate(certificate, key, passphrase);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

/** Headers, and a client certificate, that are sent with the requests for one feed. */
export const AccessInput = z.strictObject({
  userName: value(LONGEST_USER_NAME, /^[^:\p{Cc}]*$/u, 'must not contain a colon or a line break'),
  password: value(LONGEST_PASSWORD, WITHOUT_CONTROL_CHARACTERS, 'must not contain a line break'),
  userAgent: value(LONGEST_USER_AGENT, HEADER, HEADER_RULE),
  cookie: value(LONGEST_COOKIE, HEADER, HEADER_RULE),
  token: value(LONGEST_TOKEN, /^[\x21-\x7e]*$/, 'must be ASCII characters without a space'),
  /** By name; absent ones are unchanged. */
  headers: HeadersInput.optional(),
  /** Null removes it. */
  certificate: CertificateInput.nullable().optional(),
});
