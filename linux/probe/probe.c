// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * Tries the bus of a simulated PCI function: registers, DMA in both directions, an interrupt.
 * The function is linux/card/examples/inverter.rs. "probe: passed" in the kernel's log ends it.
 */

#include <linux/completion.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>

#define SOURCE 0
#define DESTINATION 8
#define BYTES 16
#define START 24
#define STATUS 32
#define DONE 1
#define FAILED 2

struct probe {
	struct device *device;
	void __iomem *registers;
	struct completion interrupted;
};

static irqreturn_t probe_interrupt(int irq, void *data)
{
	struct probe *probe = data;

	complete(&probe->interrupted);
	return IRQ_HANDLED;
}

/* Start the function, and wait for its interrupt; its status. */
static int probe_start(struct probe *probe, u64 source, u64 destination, u64 bytes)
{
	reinit_completion(&probe->interrupted);
	writeq(source, probe->registers + SOURCE);
	writeq(destination, probe->registers + DESTINATION);
	writeq(bytes, probe->registers + BYTES);
	writel(1, probe->registers + START);
	if (!wait_for_completion_timeout(&probe->interrupted, 10 * HZ)) {
		dev_err(probe->device, "no interrupt\n");
		return -ETIMEDOUT;
	}
	return readl(probe->registers + STATUS);
}

static int probe_invert(struct probe *probe, u8 *from, u8 *to, size_t bytes)
{
	dma_addr_t source, destination;
	int status = -EIO;
	size_t at;

	memset(to, 0x5a, bytes);
	source = dma_map_single(probe->device, from, bytes, DMA_TO_DEVICE);
	if (dma_mapping_error(probe->device, source))
		return -EIO;
	destination = dma_map_single(probe->device, to, bytes, DMA_FROM_DEVICE);
	if (!dma_mapping_error(probe->device, destination)) {
		status = probe_start(probe, source, destination, bytes);
		dma_unmap_single(probe->device, destination, bytes, DMA_FROM_DEVICE);
	}
	dma_unmap_single(probe->device, source, bytes, DMA_TO_DEVICE);
	if (status != DONE) {
		dev_err(probe->device, "%zu bytes: status %d\n", bytes, status);
		return -EIO;
	}
	for (at = 0; at < bytes; at++) {
		if (to[at] != (u8)~from[at]) {
			dev_err(probe->device, "%zu bytes: byte %zu is wrong\n", bytes, at);
			return -EIO;
		}
	}
	return 0;
}

static int probe_all(struct probe *probe)
{
	static const size_t sizes[] = { 1, 16, 4095, 4096, 65536 };
	u8 *from = kmalloc(65536, GFP_KERNEL), *to = kmalloc(65536, GFP_KERNEL);
	int result = from && to ? 0 : -ENOMEM;
	unsigned int size, at, turn;

	for (at = 0; !result && at < 65536; at++)
		from[at] = at * 7 + (at >> 8);
	for (turn = 0; !result && turn < 20; turn++)
		for (size = 0; !result && size < ARRAY_SIZE(sizes); size++)
			result = probe_invert(probe, from, to, sizes[size]);
	/* Where the host has no memory, the function says so and the host goes on. */
	if (!result && probe_start(probe, ~0xfffULL, 0, 16) != FAILED)
		result = -EIO;
	kfree(from);
	kfree(to);
	return result;
}

static int probe_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	struct probe *probe;
	int result;

	probe = devm_kzalloc(&pci->dev, sizeof(*probe), GFP_KERNEL);
	if (!probe)
		return -ENOMEM;
	probe->device = &pci->dev;
	init_completion(&probe->interrupted);
	result = pcim_enable_device(pci);
	if (result)
		return dev_err_probe(&pci->dev, result, "it cannot be enabled\n");
	result = dma_set_mask_and_coherent(&pci->dev, DMA_BIT_MASK(64));
	if (result)
		return dev_err_probe(&pci->dev, result, "it has no DMA\n");
	probe->registers = pcim_iomap(pci, 0, 0);
	if (!probe->registers)
		return dev_err_probe(&pci->dev, -ENOMEM, "it has no registers\n");
	pci_set_master(pci);
	result = pci_alloc_irq_vectors(pci, 1, 1, PCI_IRQ_MSI);
	if (result < 0)
		return dev_err_probe(&pci->dev, result, "it has no interrupt\n");
	result = request_irq(pci_irq_vector(pci, 0), probe_interrupt, 0, "probe", probe);
	if (!result) {
		result = probe_all(probe);
		free_irq(pci_irq_vector(pci, 0), probe);
	}
	pci_free_irq_vectors(pci);
	if (!result)
		dev_info(&pci->dev, "probe: passed\n");
	return result;
}

static const struct pci_device_id probe_ids[] = {
	{ PCI_DEVICE(0x1234, 0xc1f0) },
	{}
};
MODULE_DEVICE_TABLE(pci, probe_ids);

static struct pci_driver probe_driver = {
	.name = "ciphermill-probe",
	.id_table = probe_ids,
	.probe = probe_probe,
};
module_pci_driver(probe_driver);

MODULE_DESCRIPTION("Tries the bus of a simulated PCI function");
MODULE_LICENSE("GPL");
