import {
  createPrivateKey,
  X509Certificate,
  type KeyObject,
  type PrivateKeyInput,
} from 'node:crypto';

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
/** One block, since OpenSSL seeks the next one behind a block that it cannot read. */
const PRIVATE_KEY =
  /-----BEGIN ([A-Z ]*)PRIVATE KEY-----((?:(?!-----)[\s\S])+)-----END \1PRIVATE KEY-----/;
const ENCRYPTED = 'ENCRYPTED ';

/** Hex digits of a length in DER. */
const LENGTH = '(?:[0-7].|81..|82....)';
/**
 * An encrypted key (PKCS#8) in hex digits of DER, from its first byte to the length of the salt: PBES2 with PBKDF2. The
 * salt, which can have any bytes, and the number of rounds follow.
 */
const ROUNDS = new RegExp(
  `^(?:30${LENGTH}){2}06092a864886f70d01050d(?:30${LENGTH}){2}06092a864886f70d01050c30${LENGTH}04([0-7].)`,
);

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
  const [pem = '', kind = '', body = ''] = PRIVATE_KEY.exec(text) ?? [];
  if (pem === '') {
    throw new Error('must have a private key in PEM form');
  }
  const key = kind === ENCRYPTED ? openedKey(body, passphrase) : plainKey(pem, kind, passphrase);
  const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (modulusLength > MOST_RSA_BITS) {
    throw new Error(`must have a key of at most ${MOST_RSA_BITS} bits`);
  }
  return key;
}

/** The bytes whose rounds were read are opened, not the text: OpenSSL leaves out other lines of it. */
function openedKey(body: string, passphrase: string): KeyObject {
  const der = Buffer.from(body, 'base64');
  if (roundsOf(der) > MOST_ROUNDS) {
    throw new Error(
      `has a key whose passphrase takes too long: save it with "openssl pkcs8 -topk8 -iter 10000"`,
    );
  }
  return privateKeyOf({ key: der, format: 'der', type: 'pkcs8', passphrase });
}

/** Without the passphrase for PKCS#8, which OpenSSL would open if it is encrypted in spite of its name. */
function plainKey(pem: string, kind: string, passphrase: string): KeyObject {
  return privateKeyOf(kind === '' ? { key: pem } : { key: pem, passphrase });
}

function privateKeyOf(given: PrivateKeyInput): KeyObject {
  try {
    return createPrivateKey(given);
  } catch {
    throw new Error('has a private key that cannot be read, or another passphrase');
  }
}

/** Infinity unless they are those of PBKDF2. */
function roundsOf(der: Buffer): number {
  const hex = der.toString('hex');
  const [upToSalt, saltLength = ''] = ROUNDS.exec(hex) ?? [];
  if (upToSalt === undefined) {
    return Infinity;
  }
  const afterSalt = hex.slice(upToSalt.length + 2 * Number.parseInt(saltLength, 16));
  const [, length = ''] = /^02(0[1-4])/.exec(afterSalt) ?? [];
  return length === '' ? Infinity : Number.parseInt(afterSalt.slice(4, 4 + 2 * Number(length)), 16);
}
