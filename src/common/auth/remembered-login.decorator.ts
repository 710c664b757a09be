import { SetMetadata } from '@nestjs/common';

export const REMEMBERED_LOGIN = 'gatefold:remembered-login';

/**
 * Marks routes of programs that call often: a login with the same credentials within the last two
 * seconds suffices. A change of an account or app password then takes effect in other processes when
 * its notice arrives, which takes milliseconds. Not for routes that manage accounts and apps.
 */
export const RememberedLogin = (): ClassDecorator => SetMetadata(REMEMBERED_LOGIN, true);
