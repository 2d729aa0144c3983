// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * Offers the card of the simulated PCI bus as a platform device, as the device tree of a system on
 * a chip would: registers, an interrupt for each ring, and memory of 64 bits. So the driver's front
 * end for platforms is tested with the same card. Load it before the driver.
 */

#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>

#define VENDOR 0x1234
#define DEVICE 0xc1f1
#define MOST_INTERRUPTS 8

static int platform_card_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	struct resource resources[1 + MOST_INTERRUPTS] = {};
	struct platform_device_info info = {
		.parent = &pci->dev,
		.name = "ciphermill-card",
		.id = PLATFORM_DEVID_NONE,
		.res = resources,
		.dma_mask = DMA_BIT_MASK(64),
	};
	struct platform_device *platform;
	int vectors, at, result;

	result = pcim_enable_device(pci);
	if (result)
		return result;
	pci_set_master(pci);
	vectors = pci_alloc_irq_vectors(pci, 1, MOST_INTERRUPTS, PCI_IRQ_MSI | PCI_IRQ_MSIX);
	if (vectors < 0)
		return vectors;
	/* Within the BAR, which goes after it. */
	resources[0].start = pci_resource_start(pci, 0);
	resources[0].end = pci_resource_end(pci, 0);
	resources[0].flags = IORESOURCE_MEM;
	resources[0].parent = &pci->resource[0];
	for (at = 0; at < vectors; at++) {
		resources[1 + at].start = pci_irq_vector(pci, at);
		resources[1 + at].end = resources[1 + at].start;
		resources[1 + at].flags = IORESOURCE_IRQ;
	}
	info.num_res = 1 + vectors;
	platform = platform_device_register_full(&info);
	if (IS_ERR(platform)) {
		pci_free_irq_vectors(pci);
		return PTR_ERR(platform);
	}
	pci_set_drvdata(pci, platform);
	return 0;
}

static void platform_card_remove(struct pci_dev *pci)
{
	platform_device_unregister(pci_get_drvdata(pci));
	pci_free_irq_vectors(pci);
	pci_clear_master(pci);
}

static const struct pci_device_id platform_card_ids[] = {
	{ PCI_DEVICE(VENDOR, DEVICE) },
	{}
};

static struct pci_driver platform_card_driver = {
	.name = "platform_card",
	.id_table = platform_card_ids,
	.probe = platform_card_probe,
	.remove = platform_card_remove,
};

module_pci_driver(platform_card_driver);
MODULE_DESCRIPTION("The card of a PCI bus as a platform device");
MODULE_AUTHOR("Ciphermill contributors");
MODULE_LICENSE("GPL");
