import { describe, expect, it } from '@jest/globals';
import type { Config } from '../../../common/config/config.js';
import { sessionTokenOf } from './session-cookie.service.js';

const PLAIN = 'gatefold_session';
const PREFIXED = `__Host-${PLAIN}`;
const TOKEN = 't'.repeat(44);
const FORMER_TOKEN = 'f'.repeat(43);

const at = (baseUrl: string, appsOrigin?: string) => ({ baseUrl, appsOrigin }) as Config;
const tokenOf = (cookie: string, config: Config) => sessionTokenOf({ headers: { cookie } }, config);

describe('the session cookie', () => {
  it.each([
    ['https://reader.example', PREFIXED],
    ['http://reader.example', PLAIN],
    ['https://company.example/reader', PLAIN],
  ])('at %s is %s', (baseUrl, name) => {
    expect(tokenOf(`a=1; ${name}=${TOKEN}; b=2`, at(baseUrl))).toBe(TOKEN);
  });

  it('that another origin below the same domain may have set is not accepted', () => {
    expect(tokenOf(`${PLAIN}=${TOKEN}`, at('https://reader.example'))).toBeNull();
  });

  it('from before the prefix is accepted until its session ends', () => {
    const cookie = `${PLAIN}=${FORMER_TOKEN}`;

    expect(tokenOf(cookie, at('https://reader.example'))).toBe(FORMER_TOKEN);
    expect(tokenOf(`${cookie}; ${PREFIXED}=${TOKEN}`, at('https://reader.example'))).toBe(TOKEN);
  });

  it('had the prefix before where apps have an origin of their own', () => {
    const config = at('https://reader.example', 'https://apps.example');

    expect(tokenOf(`${PLAIN}=${FORMER_TOKEN}`, config)).toBeNull();
    expect(tokenOf(`${PREFIXED}=${FORMER_TOKEN}`, config)).toBe(FORMER_TOKEN);
  });
});
