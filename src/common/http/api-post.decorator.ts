import { applyDecorators, HttpCode, Post } from '@nestjs/common';

/** A POST that answers 200: clients of both APIs take 201 for a failure. */
export function ApiPost(path?: string | string[]): MethodDecorator {
  return applyDecorators(Post(path), HttpCode(200));
}
