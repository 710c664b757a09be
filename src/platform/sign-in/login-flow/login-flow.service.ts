import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Clock } from '../../../common/clock.js';
import { Config } from '../../../common/config/config.js';
import { networkOf } from '../../../common/http/client-network.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { hashOf } from '../../../common/secrets/token-hash.js';
import { LoginFlowNotFound, TooManyLoginFlows } from '../../platform.errors.js';
import { AppPasswordsService } from '../app-passwords/app-passwords.service.js';
import { LoginFlowsRepository } from './login-flows.repository.js';

const TOKEN_BYTES = 48;
const LIVES_SECONDS = 20 * 60;
const MOST_OF_A_NETWORK = 50;
const MOST_OF_ALL = 10_000;
const SEALED_FOR = 'login flow';

/**
 * Login flow v2: the program opens an address in the browser and polls until the user has granted it
 * an app password. It never sees the user's password.
 *
 * @see docs/decisions/0018-sessions-of-browsers.md
 */
@Injectable()
export class LoginFlowService {
  constructor(
    private readonly flows: LoginFlowsRepository,
    private readonly appPasswords: AppPasswordsService,
    private readonly secretBox: SecretBox,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * @param clientName the program's user agent
   * @throws TooManyLoginFlows when too many are in progress from the network
   */
  async begin(
    clientName: string,
    clientAddress: string,
  ): Promise<{ readonly pollToken: string; readonly loginToken: string }> {
    const now = this.clock.now();
    await this.flows.removeExpired(now);
    const pollToken = randomBytes(TOKEN_BYTES).toString('base64url');
    const loginToken = randomBytes(TOKEN_BYTES).toString('base64url');
    const flow = {
      pollTokenHash: hashOf(pollToken),
      loginTokenHash: hashOf(loginToken),
      clientName,
      network: networkOf(clientAddress),
      expiresAt: new Date(now.getTime() + LIVES_SECONDS * 1000),
    };
    const mostOfNetwork = this.config.rateLimits ? MOST_OF_A_NETWORK : Infinity;
    // Users decide theirs within a minute or two, so the oldest of all may go.
    const bounds = { now, mostOfNetwork, mostOfAll: MOST_OF_ALL };
    TooManyLoginFlows.unless(await this.flows.add(flow, bounds), LIVES_SECONDS);
    return { pollToken, loginToken };
  }

  /**
   * @returns the program's user agent
   * @throws LoginFlowNotFound for an unknown, decided or expired flow (20 minutes)
   */
  async clientNameOf(loginToken: string): Promise<string> {
    return LoginFlowNotFound.unless(
      await this.flows.findUndecided(hashOf(loginToken), this.clock.now()),
    );
  }

  /**
   * Creates an app password, which the program fetches with its next poll.
   *
   * @throws LoginFlowNotFound
   */
  async grant(loginToken: string, userId: string, clientAddress: string): Promise<void> {
    const clientName = await this.clientNameOf(loginToken);
    const { id, token } = await this.appPasswords.add(userId, clientName, {
      clientAddress,
    });
    const sealedAppPassword = this.secretBox.seal(token, SEALED_FOR);
    const grant = { userId, appPasswordId: id, sealedAppPassword };
    if (!(await this.flows.grant(hashOf(loginToken), grant, this.clock.now()))) {
      await this.appPasswords.revoke(userId, id, clientAddress);
      throw new LoginFlowNotFound();
    }
  }

  /** @throws LoginFlowNotFound */
  async deny(loginToken: string): Promise<void> {
    LoginFlowNotFound.unless(await this.flows.deny(hashOf(loginToken), this.clock.now()));
  }

  /**
   * @returns the credentials, once; null before the user agrees, after they were fetched, and for
   *   unknown tokens
   */
  async take(
    pollToken: string,
  ): Promise<{ readonly loginName: string; readonly appPassword: string } | null> {
    const taken = await this.flows.take(hashOf(pollToken), this.clock.now());
    return (
      taken && {
        loginName: taken.userId,
        appPassword: this.secretBox.open(taken.sealedAppPassword, SEALED_FOR),
      }
    );
  }
}
