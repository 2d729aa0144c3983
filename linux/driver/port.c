// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * The character device of a ring: a stream of bytes through a cipher (stream.h), and messages
 * between buffers of its user (message.c).
 */

#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <crypto/algapi.h>

#include "stream.h"

#define MINORS 256

struct card_port {
	struct device device;
	struct cdev cdev;
	struct card_ring *ring;
	atomic_t opened;
};

static dev_t first_device;
static struct class port_class = { .name = "ciphermill" };

static ssize_t port_write(struct file *opened, const char __user *from, size_t count, loff_t *at)
{
	struct port_file *file = opened->private_data;
	size_t done = 0;
	ssize_t result = 0;

	while (!result && done < count) {
		if (!stream_has_room(file)) {
			if (done && opened->f_flags & O_NONBLOCK)
				break;
			if (opened->f_flags & O_NONBLOCK)
				return -EAGAIN;
			result = wait_event_interruptible(file->ring->readers,
							  stream_has_room(file));
			if (result)
				break;
		}
		result = mutex_lock_interruptible(&file->lock);
		if (result)
			break;
		result = stream_take(file, from + done, count - done);
		mutex_unlock(&file->lock);
		if (result > 0) {
			done += result;
			result = 0;
		}
	}
	return done ? done : result;
}

static ssize_t port_read(struct file *opened, char __user *to, size_t count, loff_t *at)
{
	struct port_file *file = opened->private_data;
	size_t done = 0;
	ssize_t result = 0;

	while (count && !done && !result) {
		if (!stream_readable(file) && opened->f_flags & O_NONBLOCK)
			return -EAGAIN;
		result = wait_event_interruptible(file->ring->readers, stream_readable(file));
		if (!result)
			result = mutex_lock_interruptible(&file->read_lock);
		if (result)
			return result;
		while (done < count) {
			result = stream_give(file, to + done, count - done);
			if (result <= 0)
				break;
			done += result;
		}
		if (!done && !result && READ_ONCE(file->ring->state) == RING_REMOVED)
			result = -ENODEV;
		mutex_unlock(&file->read_lock);
		if (!done && !result && stream_at_end(file))
			break;
	}
	return done ? done : result;
}

static __poll_t port_poll(struct file *opened, poll_table *table)
{
	struct port_file *file = opened->private_data;
	__poll_t result = 0;

	poll_wait(opened, &file->ring->readers, table);
	if (stream_readable(file))
		result |= EPOLLIN | EPOLLRDNORM;
	if (stream_has_room(file))
		result |= EPOLLOUT | EPOLLWRNORM;
	if (stream_error(file))
		result |= EPOLLERR;
	if (READ_ONCE(file->ring->state) == RING_REMOVED)
		result |= EPOLLHUP;
	return result;
}

static long file_set_key(struct port_file *file, void __user *argument)
{
	u32 capability = file->ring->capability;
	struct ciphermill_key user;
	struct card_key *key = NULL, *old;
	long result = 0;

	if (copy_from_user(&user, argument, sizeof(user)))
		return -EFAULT;
	if (user.tweak_bytes && (user.tweak_bytes != user.bytes ||
				 !(capability & ACCEL_XTS) || user.bytes == 24 ||
				 !crypto_memneq(user.key, user.tweak_key,
						min_t(u32, user.bytes, sizeof(user.key)))))
		result = -EINVAL;
	else if (user.bytes && !card_key_bytes_supported(capability, user.bytes))
		result = -EINVAL;
	else if (user.bytes)
		key = card_key_create(file->ring->card, user.key, user.bytes,
				      user.tweak_bytes ? user.tweak_key : NULL);
	memzero_explicit(&user, sizeof(user));
	if (IS_ERR(key))
		result = PTR_ERR(key);
	if (result)
		return result;
	mutex_lock(&file->lock);
	old = file->key;
	file->key = key;
	mutex_unlock(&file->lock);
	card_key_put(old);
	return 0;
}

static long file_info(struct port_file *file, void __user *argument)
{
	struct card_ring *ring = file->ring;
	struct ciphermill_info info = {
		.abi = CIPHERMILL_ABI,
		.version = ring->card->version,
		.accelerator = ring->accelerator,
		.capability = ring->capability,
		.geometry = ring->geometry,
		.ring = ring->index,
		.rings = ring->card->ring_count,
		.key_slots = ring->card->key_slots,
		.khz = ring->card->khz,
		.message_bytes = card_message_bytes,
		.stream_bytes = STREAM_BYTES,
	};

	spin_lock_bh(&ring->lock);
	info.state = ring->state;
	info.messages = ring->messages;
	info.doorbells = ring->doorbells;
	info.interrupts = ring->interrupts;
	info.lost_interrupts = ring->lost_interrupts;
	info.recoveries = ring->recoveries;
	spin_unlock_bh(&ring->lock);
	return copy_to_user(argument, &info, sizeof(info)) ? -EFAULT : 0;
}

static long file_message(struct port_file *file, void __user *argument)
{
	struct card_key *key;
	long result;

	mutex_lock(&file->lock);
	key = file->key;
	if (key)
		kref_get(&key->references);
	mutex_unlock(&file->lock);
	result = message_ioctl(file->ring, key, argument);
	card_key_put(key);
	return result;
}

static long port_ioctl(struct file *opened, unsigned int command, unsigned long value)
{
	struct port_file *file = opened->private_data;
	void __user *argument = (void __user *)value;

	switch (command) {
	case CIPHERMILL_IOC_INFO:
		return file_info(file, argument);
	case CIPHERMILL_IOC_KEY:
		return file_set_key(file, argument);
	case CIPHERMILL_IOC_CONFIGURE:
		return stream_configure(file, argument);
	case CIPHERMILL_IOC_TAG:
		return stream_tag(file, argument);
	case CIPHERMILL_IOC_FINISH:
		return stream_finish(file);
	case CIPHERMILL_IOC_ABORT:
		mutex_lock(&file->lock);
		mutex_lock(&file->read_lock);
		stream_drop(file);
		mutex_unlock(&file->read_lock);
		mutex_unlock(&file->lock);
		return 0;
	case CIPHERMILL_IOC_MESSAGE:
		return file_message(file, argument);
	default:
		return -ENOTTY;
	}
}

static int port_open(struct inode *inode, struct file *opened)
{
	struct card_port *port = container_of(inode->i_cdev, struct card_port, cdev);
	struct port_file *file;

	if (READ_ONCE(port->ring->state) == RING_REMOVED)
		return -ENODEV;
	if (atomic_cmpxchg(&port->opened, 0, 1))
		return -EBUSY;
	file = kzalloc(sizeof(*file), GFP_KERNEL);
	if (!file) {
		atomic_set(&port->opened, 0);
		return -ENOMEM;
	}
	file->port = port;
	file->ring = port->ring;
	mutex_init(&file->lock);
	mutex_init(&file->read_lock);
	spin_lock_init(&file->jobs_lock);
	INIT_LIST_HEAD(&file->jobs);
	opened->private_data = file;
	return stream_open(inode, opened);
}

static int port_close(struct inode *inode, struct file *opened)
{
	struct port_file *file = opened->private_data;

	mutex_lock(&file->lock);
	mutex_lock(&file->read_lock);
	stream_drop(file);
	mutex_unlock(&file->read_lock);
	mutex_unlock(&file->lock);
	card_key_put(file->key);
	card_key_put(file->stream_key);
	atomic_set(&file->port->opened, 0);
	kfree_sensitive(file);
	return 0;
}

static const struct file_operations port_operations = {
	.owner = THIS_MODULE,
	.open = port_open,
	.release = port_close,
	.read = port_read,
	.write = port_write,
	.poll = port_poll,
	.unlocked_ioctl = port_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static void port_release(struct device *device)
{
	struct card_port *port = container_of(device, struct card_port, device);
	struct card *card = port->ring->card;

	kfree(port);
	card_put(card);
}

int port_create(struct card_ring *ring)
{
	struct card_port *port = kzalloc(sizeof(*port), GFP_KERNEL);
	struct card *card = ring->card;
	int result;

	if (!port)
		return -ENOMEM;
	card_get(card);
	port->ring = ring;
	device_initialize(&port->device);
	port->device.class = &port_class;
	port->device.parent = card->device;
	port->device.release = port_release;
	port->device.devt = first_device + card->number * CARD_MAX_RINGS + ring->index;
	cdev_init(&port->cdev, &port_operations);
	port->cdev.owner = THIS_MODULE;
	result = dev_set_name(&port->device, "ciphermill%d-%u", card->number, ring->index);
	if (!result)
		result = cdev_device_add(&port->cdev, &port->device);
	if (result)
		put_device(&port->device);
	else
		ring->port = port;
	return result;
}

void port_remove(struct card_ring *ring)
{
	struct card_port *port = ring->port;

	if (!port)
		return;
	ring->port = NULL;
	cdev_device_del(&port->cdev, &port->device);
	put_device(&port->device);
}

int ports_init(void)
{
	int result = alloc_chrdev_region(&first_device, 0, MINORS, "ciphermill");

	if (result)
		return result;
	result = class_register(&port_class);
	if (result)
		unregister_chrdev_region(first_device, MINORS);
	return result;
}

void ports_exit(void)
{
	class_unregister(&port_class);
	unregister_chrdev_region(first_device, MINORS);
}
