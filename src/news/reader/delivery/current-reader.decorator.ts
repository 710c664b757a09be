import { Injectable, type PipeTransform } from '@nestjs/common';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { ReaderIdsRepository, type Reader } from './reader-ids.repository.js';

@Injectable()
class ReaderPipe implements PipeTransform<Account, Promise<Reader>> {
  constructor(private readonly ids: ReaderIdsRepository) {}

  async transform({ userId }: Account): Promise<Reader> {
    return this.ids.of(userId);
  }
}

/** Injects the caller's `Reader`, found once in a request. The controller's module imports `DeliveryModule`. */
export const CurrentReader = (): ParameterDecorator => CurrentUser(ReaderPipe);
