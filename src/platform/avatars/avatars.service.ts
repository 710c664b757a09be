import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { AccountNotFound, InvalidPicture } from '../platform.errors.js';
import { isUserId } from '../users/user-id.js';
import { UsersRepository } from '../users/users.repository.js';
import { AvatarsRepository } from './avatars.repository.js';
import { letterAvatar, letterAvatarPng } from './letter-avatar.js';
import { pictureTypeOf } from './picture-type.js';

export const LARGEST_PICTURE_BYTES = 5 * 1024 * 1024;

export interface AvatarRequest {
  readonly userId: string;
  readonly sizePixels: number;
  readonly dark: boolean;
  /** Whether who asks names SVG among what it takes; PNG otherwise. */
  readonly takesSvg: boolean;
  /** Digests of the pictures that whoever asks has kept. */
  readonly knownDigests: readonly string[];
}

interface Avatar {
  readonly mediaType: string;
  /** Another one for every other picture. */
  readonly digest: string;
  /** Null when `digest` is among the known ones. */
  readonly bytes: Buffer | null;
  /** Whether the user chose it. */
  readonly chosen: boolean;
}

/** The picture beside a user's name. */
@Injectable()
export class AvatarsService {
  constructor(
    private readonly avatars: AvatarsRepository,
    private readonly users: UsersRepository,
  ) {}

  /**
   * The picture that the user has chosen, as it was sent and in its own size; initials otherwise.
   *
   * @throws AccountNotFound
   */
  async show(request: AvatarRequest): Promise<Avatar> {
    const { userId, knownDigests } = request;
    const stored = await this.avatars.find(userId, knownDigests);
    if (stored !== null) {
      return { ...stored, chosen: true };
    }
    const account = isUserId(userId) ? await this.users.find(userId) : null;
    if (account === null) {
      throw new AccountNotFound(userId);
    }
    const wanted = { ...request, displayName: account.displayName };
    const drawn = request.takesSvg ? Buffer.from(letterAvatar(wanted)) : letterAvatarPng(wanted);
    const digest = digestOf(drawn);
    return {
      mediaType: request.takesSvg ? 'image/svg+xml' : 'image/png',
      digest,
      bytes: knownDigests.includes(digest) ? null : drawn,
      chosen: false,
    };
  }

  /** @throws InvalidPicture */
  async choose(userId: string, bytes: Buffer): Promise<void> {
    const mediaType = pictureTypeOf(bytes);
    if (mediaType === null || bytes.length > LARGEST_PICTURE_BYTES) {
      throw new InvalidPicture();
    }
    await this.avatars.put(userId, mediaType, digestOf(bytes), bytes);
  }

  async forget(userId: string): Promise<void> {
    await this.avatars.remove(userId);
  }
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
