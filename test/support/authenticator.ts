import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** What a browser and an authenticator would never do, or only a bad one. */
export interface Deviations {
  /** Page that asked. */
  readonly origin?: string;
  readonly rpId?: string;
  /** Default true. */
  readonly userVerified?: boolean;
  readonly challenge?: string;
}

interface Credential {
  readonly id: Buffer;
  readonly privateKey: KeyObject;
  readonly cosePublicKey: Buffer;
  readonly rpId: string;
  readonly userHandle: string;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/**
 * A security key in software, with the browser around it: ES256, no attestation.
 *
 * @see https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data
 */
export class Authenticator {
  readonly credentials: Credential[] = [];
  /** Of signatures. Undefined for authenticators that do not count. */
  counter: number | undefined;

  constructor(readonly origin: string) {}

  /** `navigator.credentials.create`, then `toJSON`. */
  create(
    options: PublicKeyCredentialCreationOptionsJSON,
    deviations: Deviations = {},
  ): RegistrationResponseJSON {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const credential: Credential = {
      id: randomBytes(16),
      privateKey,
      cosePublicKey: cbor(
        new Map<number, number | Buffer>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Buffer.from(x, 'base64url')],
          [-3, Buffer.from(y, 'base64url')],
        ]),
      ),
      rpId: options.rp.id ?? '',
      userHandle: options.user.id,
    };
    this.credentials.push(credential);
    const authData = Buffer.concat([
      this.#authenticatorData(credential, HAS_CREDENTIAL, deviations),
      Buffer.alloc(16),
      uint16(credential.id.length),
      credential.id,
      credential.cosePublicKey,
    ]);
    const attestation = new Map<string, string | Buffer | Map<number, number>>([
      ['fmt', 'none'],
      ['attStmt', new Map<number, number>()],
      ['authData', authData],
    ]);
    return {
      ...this.#common(credential),
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options.challenge, deviations),
        attestationObject: cbor(attestation).toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  /** `navigator.credentials.get`, then `toJSON`, with the latest credential. */
  get(
    options: PublicKeyCredentialRequestOptionsJSON,
    deviations: Deviations = {},
  ): AuthenticationResponseJSON {
    const credential = this.credentials.at(-1);
    if (credential === undefined) {
      throw new Error('The authenticator has no credential.');
    }
    if (this.counter !== undefined) {
      this.counter += 1;
    }
    const clientDataJSON = this.#clientData('webauthn.get', options.challenge, deviations);
    const authenticatorData = this.#authenticatorData(credential, 0, deviations);
    const signed = Buffer.concat([
      authenticatorData,
      sha256(Buffer.from(clientDataJSON, 'base64url')),
    ]);
    return {
      ...this.#common(credential),
      response: {
        clientDataJSON,
        authenticatorData: authenticatorData.toString('base64url'),
        signature: sign('sha256', signed, credential.privateKey).toString('base64url'),
        userHandle: credential.userHandle,
      },
    };
  }

  #common({ id }: Credential) {
    const text = id.toString('base64url');
    const type = 'public-key' as const;
    return { id: text, rawId: text, type, clientExtensionResults: {} };
  }

  #clientData(type: string, challenge: string, deviations: Deviations): string {
    const content = {
      type,
      challenge: deviations.challenge ?? challenge,
      origin: deviations.origin ?? this.origin,
      crossOrigin: false,
    };
    return Buffer.from(JSON.stringify(content)).toString('base64url');
  }

  #authenticatorData(credential: Credential, flags: number, deviations: Deviations): Buffer {
    const { userVerified = true, rpId = credential.rpId } = deviations;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter ?? 0);
    const verified = userVerified ? USER_VERIFIED : 0;
    return Buffer.concat([sha256(rpId), Buffer.from([flags | USER_PRESENT | verified]), counter]);
  }
}

type CborValue = number | string | Buffer | ReadonlyMap<number | string, CborValue>;

/** The few kinds of values that are needed here (RFC 8949). */
function cbor(value: CborValue): Buffer {
  if (typeof value === 'number') {
    return value < 0 ? head(1, -1 - value) : head(0, value);
  }
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    return Buffer.concat([head(3, bytes.length), bytes]);
  }
  if (Buffer.isBuffer(value)) {
    return Buffer.concat([head(2, value.length), value]);
  }
  const entries = [...value].flatMap(([key, entry]) => [cbor(key), cbor(entry)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

function head(majorType: number, size: number): Buffer {
  const type = majorType << 5;
  if (size < 24) {
    return Buffer.from([type | size]);
  }
  return size < 256
    ? Buffer.from([type | 24, size])
    : Buffer.concat([Buffer.from([type | 25]), uint16(size)]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
