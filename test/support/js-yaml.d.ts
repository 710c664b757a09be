/** The package has no types; these cover what the specs use. */
declare module 'js-yaml' {
  const yaml: { safeLoadAll(text: string): unknown[]; safeLoad(text: string): unknown };
  export default yaml;
}
