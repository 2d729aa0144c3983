// SPDX-License-Identifier: Apache-2.0
// Copyright Ciphermill contributors.
//
// For LD_PRELOAD of a Linux 6.1 that runs as a program, on processors with AMX. It sets the extended
// state of its processes (NT_X86_XSTATE) from an area of 2,696 bytes, which ends before the tiles of
// AMX; since the host asks for the whole state it answers EFAULT. Here the rest comes from the
// process itself. Nothing else changes, and nothing at all where the host takes the short area.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

/* More than any processor's state has. */
#define MOST_BYTES 65536

typedef long (*ptrace_function)(enum __ptrace_request, ...);

static long set_whole(ptrace_function next, pid_t process, const struct iovec *part)
{
	static unsigned char whole[MOST_BYTES];
	struct iovec all = { whole, sizeof(whole) };

	if (next(PTRACE_GETREGSET, process, (void *)NT_X86_XSTATE, &all))
		return -1;
	if (all.iov_len <= part->iov_len) {
		errno = EFAULT;
		return -1;
	}
	memcpy(whole, part->iov_base, part->iov_len);
	return next(PTRACE_SETREGSET, process, (void *)NT_X86_XSTATE, &all);
}

long ptrace(enum __ptrace_request request, ...)
{
	static ptrace_function next;
	va_list arguments;
	pid_t process;
	void *address, *data;
	long result;

	va_start(arguments, request);
	process = va_arg(arguments, pid_t);
	address = va_arg(arguments, void *);
	data = va_arg(arguments, void *);
	va_end(arguments);
	if (!next)
		next = (ptrace_function)dlsym(RTLD_NEXT, "ptrace");
	result = next(request, process, address, data);
	if (result < 0 && errno == EFAULT && request == PTRACE_SETREGSET &&
	    address == (void *)NT_X86_XSTATE)
		return set_whole(next, process, data);
	return result;
}
