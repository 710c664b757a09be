import { beforeEach, describe, expect, it } from '@jest/globals';
import { DavClient } from '../../support/dav-client.js';
import { sharedService } from '../../support/shared-service.js';

const { app } = await sharedService();
let ada: DavClient;
beforeEach(async () => {
  ada = new DavClient(await app.signIn());
  await ada.put('/tide.txt', 'low');
});

const set = (xml: string) => ada.patch('/tide.txt', `<d:set><d:prop>${xml}</d:prop></d:set>`);
const dead = async (name: string) => {
  const [file] = await ada.properties('/tide.txt', [`${name} xmlns="urn:mine"`]);
  return file?.found[name];
};

describe('PROPPATCH', () => {
  it('sets and clears a favorite, and leaves the folder as it is', async () => {
    const [before] = await ada.properties('/', ['d:getetag']);
    expect((await set('<oc:favorite>1</oc:favorite>')).statuses).toEqual({ favorite: 200 });
    expect(await ada.property('/tide.txt', 'oc:favorite')).toBe('1');

    await ada.patch('/tide.txt', '<d:remove><d:prop><oc:favorite/></d:prop></d:remove>');
    expect(await ada.property('/tide.txt', 'oc:favorite')).toBe('0');
    expect(await ada.properties('/', ['d:getetag'])).toContainEqual(before);
  });

  it.each([
    ['unix seconds', '<d:lastmodified>1580000000</d:lastmodified>'],
    ['a date', '<d:getlastmodified>Sun, 26 Jan 2020 00:53:20 GMT</d:getlastmodified>'],
  ])('sets the modification time by %s, and updates the folder', async (_how, xml) => {
    const [before] = await ada.properties('/', ['d:getetag']);

    await set(xml);

    const [after] = await ada.properties('/', ['d:getetag']);
    expect(await ada.property('/tide.txt', 'd:getlastmodified')).toBe(
      'Sun, 26 Jan 2020 00:53:20 GMT',
    );
    expect(after?.found).not.toEqual(before?.found);
  });

  it('sets the creation time', async () => {
    await set('<nc:creation_time>1580000000</nc:creation_time>');

    expect(await ada.property('/tide.txt', 'nc:creation_time')).toBe('1580000000');
    expect(await ada.property('/tide.txt', 'd:creationdate')).toBe('2020-01-26T00:53:20Z');
  });

  it.each([
    ['bytes', `<x xmlns="urn:mine">${'x'.repeat(130 * 1024)}</x>`, 'is larger than 131072 bytes'],
    [
      'elements',
      `<x xmlns="urn:mine">${'<y/>'.repeat(2000)}</x>`,
      'has more than 2000 elements and attributes',
    ],
    ['attributes', `<x ${'y = "" '.repeat(2000)}/>`, 'has more than 2000 elements and attributes'],
  ])('of too many %s is refused with 413 before it is parsed', async (_what, xml, fault) => {
    const body = `<d:propertyupdate xmlns:d="DAV:"><d:set><d:prop>${xml}</d:prop></d:set></d:propertyupdate>`;

    const refusal = await ada.call('PROPPATCH', '/tide.txt', { body });

    expect(refusal.status).toBe(413);
    expect(refusal.text).toContain(`<s:message>The request body ${fault}.</s:message>`);
  });

  it('stores any other property until it is removed', async () => {
    await set('<color xmlns="urn:mine">dark &amp; blue</color>');
    expect(await dead('color')).toBe('dark & blue');
    await ada.move('/tide.txt', '/moved.txt');
    await ada.move('/moved.txt', '/tide.txt');
    expect(await dead('color')).toBe('dark & blue');

    await ada.patch(
      '/tide.txt',
      '<d:remove><d:prop><color xmlns="urn:mine"/><never/></d:prop></d:remove>',
    );
    expect(await dead('color')).toBeUndefined();
  });

  it('stores XML as XML', async () => {
    await set('<m:box xmlns:m="urn:mine"><m:lid n="1 &lt; 2">shut</m:lid> and <dry/></m:box>');

    const answer = await ada.call('PROPFIND', '/tide.txt', {
      headers: { depth: '0' },
      body: '<propfind xmlns="DAV:"><prop><box xmlns="urn:mine"/></prop></propfind>',
    });

    expect(answer.text).toContain(
      '<x:box xmlns:x="urn:mine"><lid xmlns="urn:mine" n="1 &lt; 2">shut</lid> and <dry xmlns=""/></x:box>',
    );
  });

  it('removes characters that XML cannot contain', async () => {
    await set('<color xmlns="urn:mine">da&#0;rk&#1; &#x2764;</color>');

    expect(await dead('color')).toBe('dark ❤');
  });

  it('returns dead properties for allprop', async () => {
    await set('<color xmlns="urn:mine">blue</color>');

    const answer = await ada.call('PROPFIND', '/tide.txt', { headers: { depth: '0' } });

    expect(answer.text).toContain('<x:color xmlns:x="urn:mine">blue</x:color>');
  });

  it('applies all instructions or none', async () => {
    const { statuses } = await set(
      '<oc:favorite>1</oc:favorite><d:getetag>"mine"</d:getetag><color xmlns="urn:mine">blue</color>',
    );

    expect(statuses).toEqual({ favorite: 424, getetag: 403, color: 424 });
    expect(await ada.property('/tide.txt', 'oc:favorite')).toBe('0');
    expect(await dead('color')).toBeUndefined();
  });

  it.each([
    ['<d:lastmodified>yesterday</d:lastmodified>', 'lastmodified'],
    ['<d:lastmodified>-5</d:lastmodified>', 'lastmodified'],
    ['<oc:favorite>perhaps</oc:favorite>', 'favorite'],
  ])('rejects %s', async (xml, name) => {
    expect((await set(xml)).statuses[name]).toBe(409);
  });

  it('stores at most 64 KiB per file', async () => {
    const { statuses } = await set(`<color xmlns="urn:mine">${'x'.repeat(65_536)}</color>`);

    expect(statuses).toEqual({ color: 507 });
    expect(await dead('color')).toBeUndefined();
  });

  it('requires an existing node and instructions', async () => {
    const body = '<d:propertyupdate xmlns:d="DAV:"/>';

    expect((await ada.call('PROPPATCH', '/none', { body })).status).toBe(404);
    expect((await ada.call('PROPPATCH', '/tide.txt')).status).toBe(400);
  });
});
