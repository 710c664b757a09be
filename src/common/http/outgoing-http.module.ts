import { HttpModule } from '@nestjs/axios';
import { Global, Module } from '@nestjs/common';
import { OutgoingHttp } from './outgoing-http.js';
import { OutgoingStream, StreamTimes } from './outgoing-stream.js';
import { SilentServers } from './silent-servers.js';

/** Provides `OutgoingHttp` and `OutgoingStream` to all modules. */
@Global()
@Module({
  imports: [HttpModule],
  providers: [OutgoingHttp, OutgoingStream, SilentServers, StreamTimes],
  exports: [OutgoingHttp, OutgoingStream, SilentServers],
})
export class OutgoingHttpModule {}
