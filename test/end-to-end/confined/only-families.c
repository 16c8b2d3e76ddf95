/* only-families FAMILIES PROGRAM [ARGUMENT ...]: runs a program that may open sockets of these families alone, which are
   given as the kernel numbers them, with commas between them. It is what RestrictAddressFamilies= of systemd does. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_FAMILIES = 32, FIXED_STEPS = 5 };

int main(int count, char **words) {
  struct sock_filter steps[MAX_FAMILIES + FIXED_STEPS];
  unsigned char families[MAX_FAMILIES];
  int allowed = 0;
  if (count < 3) return 64;
  for (char *word = strtok(words[1], ","); word != NULL && allowed < MAX_FAMILIES; word = strtok(NULL, ","))
    families[allowed++] = (unsigned char)atoi(word);

  int step = 0;
  steps[step++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  /* Any other call goes to the last step, which allows it. */
  steps[step++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, (unsigned char)(allowed + 2));
  steps[step++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]));
  for (int index = 0; index < allowed; index++)
    steps[step++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, families[index], (unsigned char)(allowed - index), 0);
  steps[step++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT);
  steps[step++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);

  struct sock_fprog program = {.len = (unsigned short)step, .filter = steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("seccomp");
    return 71;
  }
  execvp(words[2], words + 2);
  perror(words[2]);
  return 72;
}
