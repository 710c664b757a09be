import { applyDecorators, HttpCode, Post } from '@nestjs/common';

/** A POST that returns 200: clients of both APIs treat 201 as a failure. */
export function ApiPost(path?: string | string[]): MethodDecorator {
  return applyDecorators(Post(path), HttpCode(200));
}
