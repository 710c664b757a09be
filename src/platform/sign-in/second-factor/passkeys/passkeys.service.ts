import { Injectable } from '@nestjs/common';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { Clock } from '../../../../common/clock.js';
import { Config } from '../../../../common/config/config.js';
import { assertBelowLimit } from '../../../../common/errors/limit-reached.js';
import { AccessChanges } from '../../../../common/ports/access-changes.js';
import type { Account } from '../../../../common/ports/user-directory.js';
import { SecretBox } from '../../../../common/secrets/secret-box.js';
import { SecurityEventsService } from '../../../accounts/security/security-events.service.js';
import type { PasskeyPlace } from '../../forms/passkey-place.service.js';
import { newRecoveryCodes, recoveryCodeHashes } from '../one-time-codes.js';
import { PasskeyNotFound, PasskeyNotRegistered } from '../second-factor.errors.js';
import {
  PasskeyAnswers,
  webauthn,
  CHALLENGE_LIVES_SECONDS,
  type ChallengePurpose,
} from './passkey-answers.service.js';
import { PasskeysRepository, type ListedPasskey } from './passkeys.repository.js';

/** A passkey as its owner sees it. */
export type Passkey = Pick<ListedPasskey, 'id' | 'name' | 'rpId' | 'createdAt' | 'lastUsedAt'>;

const TIMEOUT_MS = CHALLENGE_LIVES_SECONDS * 1000;

/** Passkeys of users: adding, naming and removing them, and browsers' options for them. */
@Injectable()
export class PasskeysService {
  constructor(
    private readonly passkeys: PasskeysRepository,
    private readonly answers: PasskeyAnswers,
    private readonly accessChanges: AccessChanges,
    private readonly events: SecurityEventsService,
    private readonly secretBox: SecretBox,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Oldest first. */
  async list(userId: string): Promise<Passkey[]> {
    return this.passkeys.list(userId);
  }

  async hasAny(userId: string, { rpId }: PasskeyPlace): Promise<boolean> {
    return (await this.passkeys.list(userId)).some((passkey) => passkey.rpId === rpId);
  }

  /** Options for `navigator.credentials.create`. Stores nothing. */
  async beginRegistration(
    { userId, displayName }: Account,
    place: PasskeyPlace,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const known = await this.passkeys.list(userId);
    assertBelowLimit(this.config, 'passkeys-per-user', known.length);
    const { generateRegistrationOptions } = await webauthn();
    return generateRegistrationOptions({
      rpName: 'Gatefold',
      rpID: place.rpId,
      userName: userId,
      userDisplayName: displayName,
      // Identifies the user to an authenticator, which replaces its passkey for the same user.
      userID: new Uint8Array(this.secretBox.digest(userId, 'user handle of passkeys')),
      challenge: this.answers.challenge('registration', userId),
      timeout: TIMEOUT_MS,
      attestationType: 'none',
      excludeCredentials: descriptorsOf(known, place),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /**
   * Adds a passkey. From now on logins with the password need a second factor, and programs an app
   * password.
   *
   * @returns recovery codes, which are not shown again; none if the user has some
   * @throws PasskeyNotRegistered
   */
  async register(
    userId: string,
    place: PasskeyPlace,
    name: string,
    response: RegistrationResponseJSON,
  ): Promise<string[]> {
    const expected = { place, purpose: 'registration', userId } as const;
    const passkey = PasskeyNotRegistered.unless(await this.answers.verifyNew(response, expected));
    const codes = newRecoveryCodes();
    const added = await this.passkeys.add(
      userId,
      { ...passkey, name, createdAt: this.clock.now() },
      recoveryCodeHashes(codes),
      (stored) => assertBelowLimit(this.config, 'passkeys-per-user', stored),
    );
    if (added === null) {
      throw new PasskeyNotRegistered();
    }
    // Connections of programs with the password end.
    await this.accessChanges.announce(userId);
    await this.events.record({ kind: 'second_factor_added', userId, details: detailsOf(name) });
    return added.hasNewCodes ? codes : [];
  }

  /** @throws PasskeyNotFound */
  async rename(userId: string, id: number, name: string): Promise<void> {
    PasskeyNotFound.unless(await this.passkeys.rename(userId, id, name), id);
  }

  /** @throws PasskeyNotFound */
  async remove(userId: string, id: number): Promise<void> {
    const name = PasskeyNotFound.unless(await this.passkeys.remove(userId, id), id);
    await this.events.record({ kind: 'second_factor_removed', userId, details: detailsOf(name) });
  }

  /**
   * Options for `navigator.credentials.get`. Stores nothing.
   *
   * @param userId null for a login: the authenticator offers the passkeys that it has for the place
   */
  async ask(
    place: PasskeyPlace,
    purpose: Exclude<ChallengePurpose, 'registration'>,
    userId: string | null,
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const known = userId === null ? [] : await this.passkeys.list(userId);
    const { generateAuthenticationOptions } = await webauthn();
    return generateAuthenticationOptions({
      rpID: place.rpId,
      challenge: this.answers.challenge(purpose, userId),
      timeout: TIMEOUT_MS,
      allowCredentials: descriptorsOf(known, place),
      userVerification: 'required',
    });
  }
}

/** An authenticator's answer to `navigator.credentials.get`. */
export type PasskeyAnswer = AuthenticationResponseJSON;

function descriptorsOf(
  passkeys: readonly ListedPasskey[],
  { rpId }: PasskeyPlace,
): { id: string; transports: string[] }[] {
  return passkeys
    .filter((passkey) => passkey.rpId === rpId)
    .map(({ credentialId, transports }) => ({
      id: credentialId.toString('base64url'),
      transports,
    }));
}

function detailsOf(name: string): string {
  return `passkey “${name}”`;
}
