const NOBODY = 65_534;

/** Acts as another user, because root may read everything. Modules that it needs must be loaded before. */
export async function asNobody<Result>(act: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return await act();
  process.seteuid?.(NOBODY);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}
