/** esbuild bundles a style sheet as text, which `mount` adds to the element of the panel. */
declare module '*.css' {
  const text: string;
  export default text;
}
