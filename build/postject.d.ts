declare module 'postject' {
  /** Adds a named resource to an executable file, and flips the fuse that tells the executable to look for it. */
  export function inject(
    file: string,
    resource: string,
    content: Buffer,
    options: { readonly sentinelFuse: string },
  ): Promise<void>;
}
