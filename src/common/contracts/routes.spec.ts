import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Media } from './operation.decorator.js';
import { Get } from './routes.js';

const Answer = z.array(z.looseObject({ id: z.int(), name: z.string().optional() }));

/** The type check refuses this file if one of these errors is none. */
class Handlers {
  @Get('right', 'Shows a list.', Answer)
  async right() {
    return [{ id: 1, more: true }] as const;
  }

  @Get('written', 'Writes a list to the response.', Answer)
  async written(): Promise<void> {}

  // @ts-expect-error -- another type
  @Get('other', 'Shows a list.', Answer)
  async other() {
    return [{ id: 'one' }];
  }

  // @ts-expect-error -- a field is missing
  @Get('less', 'Shows a list.', Answer)
  less() {
    return [{ name: 'one' }];
  }

  // @ts-expect-error -- a type that says nothing
  @Get('object', 'Shows a list.', Answer)
  async object(): Promise<object> {
    return [];
  }

  // @ts-expect-error -- JSON instead of a picture
  @Get('picture', 'Shows a picture.', new Media('image/*', 'The picture.'))
  async picture() {
    return { id: 1 };
  }

  // @ts-expect-error -- something instead of nothing
  @Get('nothing', 'Shows nothing.', 'nothing')
  async nothing() {
    return 1;
  }
}

describe('a handler', () => {
  it('returns what the decorator of its route declares, or does not compile', () => {
    expect(Object.getOwnPropertyNames(Handlers.prototype)).toHaveLength(8);
  });
});
