import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../common/config/config.js';
import { readFilesStore, StoreSettings } from './stores.settings.js';

const KEYS = { GATEFOLD_S3_ACCESS_KEY_ID: 'id', GATEFOLD_S3_SECRET_ACCESS_KEY: 'very secret' };

describe('readFilesStore', () => {
  it('reads a bucket with its endpoint', () => {
    const text = 's3://box/a/b/?endpoint=https://s3.example.org:9000/&region=eu-1&path-style=true';

    expect(readFilesStore(text)).toEqual({
      bucket: 'box',
      prefix: 'a/b/',
      endpoint: 'https://s3.example.org:9000',
      region: 'eu-1',
      pathStyle: true,
      address: 's3://box/a/b',
    });
  });

  it('has the endpoint of Amazon, and no prefix, unless they are named', () => {
    expect(readFilesStore('s3://my.box')).toMatchObject({
      prefix: '',
      endpoint: undefined,
      region: 'us-east-1',
      pathStyle: false,
      address: 's3://my.box',
    });
  });

  it.each([
    ['disk', 'must be "folder"'],
    ['https://box/a', 'must be "folder"'],
    ['s3://id:secret@box/a', 'must be without keys'],
    ['s3://B/a', 'must name a bucket'],
    ['s3://box/../a b', 'must have a prefix'],
    ['s3://box?key=a', 'no other parameters'],
    ['s3://box?endpoint=ftp://a', 'as its endpoint'],
    ['s3://box?endpoint=https://id:secret@a', 'as its endpoint'],
    ['s3://box?path-style=on', 'path-style=true'],
  ])('refuses %s', (text, why) => {
    expect(() => readFilesStore(text)).toThrow(why);
  });
});

describe('The settings of object stores', () => {
  const faultOf = (settings: Record<string, string>): string => {
    try {
      readConfig(settings, [StoreSettings]);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('need both keys', () => {
    const fault = faultOf({ GATEFOLD_FILES_STORE: 's3://box', GATEFOLD_S3_ACCESS_KEY_ID: 'id' });

    expect(fault).toContain('needs GATEFOLD_S3_SECRET_ACCESS_KEY');
    expect(faultOf({ GATEFOLD_FILES_STORE: 's3://box', ...KEYS })).toBe('');
  });

  it('refuse the folder or the same store as the former one', () => {
    const store = { GATEFOLD_FILES_STORE: 's3://box/a?region=x', ...KEYS };

    expect(faultOf({ ...store, GATEFOLD_FILES_FORMER_STORE: 's3://box/a' })).toContain('another');
    expect(faultOf({ ...store, GATEFOLD_FILES_FORMER_STORE: 'folder' })).toContain('always read');
  });

  it('show no keys that were written into the address', () => {
    const fault = faultOf({ GATEFOLD_FILES_STORE: 's3://id:hunter2@box/a', ...KEYS });

    expect(fault).toContain('GATEFOLD_FILES_STORE must be without keys');
    expect(fault).not.toContain('hunter2');
    const endpoint = 's3://box?endpoint=https%3A%2F%2Fid%3Ahunter2%40host';
    expect(faultOf({ GATEFOLD_FILES_STORE: endpoint, ...KEYS })).not.toContain('hunter2');
  });
});
