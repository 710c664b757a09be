import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';

/** Certificates and key in PEM form, as TLS takes them; the key is without a passphrase. */
export interface ClientCertificate {
  /** That of the client first, then those of authorities. */
  readonly cert: string;
  readonly key: string;
}

const MOST_CERTIFICATES = 10;
/** Larger keys hold up everybody when they sign. */
const MOST_RSA_BITS = 8192;
/** Of the key's passphrase; some 30 ms. */
const MOST_ROUNDS = 100_000;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
const PRIVATE_KEY = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----([\s\S]+?)-----END \1PRIVATE KEY-----/;
/** The parameters of PBKDF2 in hex digits of DER: its name, a salt, and the number of rounds. */
const ROUNDS = /06092a864886f70d01050c30..04(..)/;

/**
 * Reads what a user was given: certificates, and the key, in one text or in two.
 *
 * @throws Error with a clause that continues "The parameter …"
 */
export function readClientCertificate(
  certificates: string,
  key: string,
  passphrase: string,
): ClientCertificate {
  const chain = (certificates.match(CERTIFICATE) ?? []).map(parsed);
  const [own] = chain;
  if (own === undefined || chain.length > MOST_CERTIFICATES) {
    throw new Error(`must have one to ${MOST_CERTIFICATES} certificates in PEM form`);
  }
  const privateKey = readKey(key || certificates, passphrase);
  if (!own.checkPrivateKey(privateKey)) {
    throw new Error('must begin with the certificate that the key belongs to');
  }
  return {
    cert: chain.join(''),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

/** The first moment at which a certificate of the chain is not valid any more. */
export function endOf({ cert }: ClientCertificate): Date {
  const ends = (cert.match(CERTIFICATE) ?? []).map((one) => Date.parse(parsed(one).validTo));
  return new Date(Math.min(...ends));
}

function parsed(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new Error('has a certificate that cannot be read');
  }
}

function readKey(text: string, passphrase: string): KeyObject {
  const [pem = '', kind, body = ''] = PRIVATE_KEY.exec(text) ?? [];
  if (pem === '') {
    throw new Error('must have a private key in PEM form');
  }
  if (kind === 'ENCRYPTED ' && roundsOf(body) > MOST_ROUNDS) {
    throw new Error(
      `has a key whose passphrase takes too long: save it with "openssl pkcs8 -topk8 -iter 10000"`,
    );
  }
  const key = opened(pem, passphrase);
  const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (modulusLength > MOST_RSA_BITS) {
    throw new Error(`must have a key of at most ${MOST_RSA_BITS} bits`);
  }
  return key;
}

function opened(key: string, passphrase: string): KeyObject {
  try {
    return createPrivateKey({ key, passphrase });
  } catch {
    throw new Error('has a private key that cannot be read, or another passphrase');
  }
}

/** Infinity unless they are those of PBKDF2. */
function roundsOf(body: string): number {
  const der = Buffer.from(body, 'base64').toString('hex');
  const found = ROUNDS.exec(der);
  const place = (found?.index ?? 0) + (found?.[0].length ?? 0);
  const afterSalt = der.slice(place + 2 * Number.parseInt(found?.[1] ?? '', 16));
  const [, length = ''] = /^02(0[1-4])/.exec(afterSalt) ?? [];
  return length === '' ? Infinity : Number.parseInt(afterSalt.slice(4, 4 + 2 * Number(length)), 16);
}
