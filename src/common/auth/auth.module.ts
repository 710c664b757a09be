import { Global, Module } from '@nestjs/common';
import { BasicStrategy } from './basic.strategy.js';

/** What the guards need, in reach of every room's controllers. */
@Global()
@Module({ providers: [BasicStrategy], exports: [BasicStrategy] })
export class AuthModule {}
