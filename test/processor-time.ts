/** The processor time that this thread has taken, in milliseconds. Other programs on the computer do not count. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
