// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * The card as a PCI function: BAR 0, and MSI or MSI-X with a vector for each ring. With fewer
 * vectors, ring n has vector n modulo their number.
 */

#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/pci.h>

#include "card.h"

#define CARD_VENDOR 0x1234 /* QEMU's for experiments */
#define CARD_DEVICE 0xc1f1

static void pci_isolate(struct device *device)
{
	pci_clear_master(to_pci_dev(device));
}

static const struct card_bus card_pci_bus = { .isolate = pci_isolate };

static void free_interrupts(struct pci_dev *pci, struct card *card, int vectors, unsigned int rings)
{
	while (rings--)
		free_irq(pci_irq_vector(pci, rings % vectors), &card->rings[rings]);
	pci_free_irq_vectors(pci);
}

struct pci_card {
	struct card *card;
	int vectors;
};

static int request_interrupts(struct pci_dev *pci, struct card *card)
{
	unsigned int ring;
	int vectors, result;

	vectors = pci_alloc_irq_vectors(pci, 1, card->ring_count, PCI_IRQ_MSI | PCI_IRQ_MSIX);
	if (vectors < 0)
		return dev_err_probe(&pci->dev, vectors, "it has no MSI and no MSI-X\n");
	for (ring = 0; ring < card->ring_count; ring++) {
		result = request_threaded_irq(pci_irq_vector(pci, ring % vectors), ring_interrupt,
					      ring_interrupt_thread,
					      vectors < card->ring_count ? IRQF_SHARED : 0,
					      "ciphermill", &card->rings[ring]);
		if (result) {
			free_interrupts(pci, card, vectors, ring);
			return dev_err_probe(&pci->dev, result, "ring %u has no interrupt\n", ring);
		}
	}
	return vectors;
}

static int card_pci_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	struct pci_card *function;
	void __iomem *registers;
	int result;

	function = devm_kzalloc(&pci->dev, sizeof(*function), GFP_KERNEL);
	if (!function)
		return -ENOMEM;
	result = pcim_enable_device(pci);
	if (result)
		return dev_err_probe(&pci->dev, result, "it cannot be enabled\n");
	result = dma_set_mask_and_coherent(&pci->dev, DMA_BIT_MASK(64));
	if (result)
		return dev_err_probe(&pci->dev, result, "it has no DMA\n");
	dma_set_max_seg_size(&pci->dev, U32_MAX);
	if (pci_request_region(pci, 0, "ciphermill"))
		return dev_err_probe(&pci->dev, -EBUSY, "its registers are in use\n");
	registers = pcim_iomap(pci, 0, 0);
	if (!registers)
		return dev_err_probe(&pci->dev, -ENOMEM, "it has no registers\n");
	pci_set_master(pci);
	result = card_create(&pci->dev, &card_pci_bus, registers, pci_resource_len(pci, 0),
			     &function->card);
	if (result)
		goto no_card;
	result = request_interrupts(pci, function->card);
	if (result < 0)
		goto no_interrupts;
	function->vectors = result;
	pci_set_drvdata(pci, function);
	result = card_start(function->card);
	if (!result)
		return 0;
	card_remove(function->card);
	free_interrupts(pci, function->card, function->vectors, function->card->ring_count);
no_interrupts:
	card_destroy(function->card);
no_card:
	pci_clear_master(pci);
	return result;
}

static void card_pci_remove(struct pci_dev *pci)
{
	struct pci_card *function = pci_get_drvdata(pci);

	card_remove(function->card);
	free_interrupts(pci, function->card, function->vectors, function->card->ring_count);
	pci_clear_master(pci);
	card_destroy(function->card);
}

static int __maybe_unused card_pci_suspend(struct device *device)
{
	struct pci_card *function = dev_get_drvdata(device);

	return card_suspend(function->card);
}

static int __maybe_unused card_pci_resume(struct device *device)
{
	struct pci_card *function = dev_get_drvdata(device);

	pci_set_master(to_pci_dev(device));
	return card_resume(function->card);
}

static SIMPLE_DEV_PM_OPS(card_pci_pm, card_pci_suspend, card_pci_resume);

/* A reset of the function by the bus, or from user space. */
static void card_pci_reset_prepare(struct pci_dev *pci)
{
	struct pci_card *function = pci_get_drvdata(pci);

	if (function)
		card_suspend(function->card);
}

static void card_pci_reset_done(struct pci_dev *pci)
{
	struct pci_card *function = pci_get_drvdata(pci);

	if (function) {
		/* A card that did not react to an earlier reset has lost its way to memory. */
		pci_set_master(pci);
		card_resume(function->card);
	}
}

static const struct pci_error_handlers card_pci_errors = {
	.reset_prepare = card_pci_reset_prepare,
	.reset_done = card_pci_reset_done,
};

static const struct pci_device_id card_pci_ids[] = {
	{ PCI_DEVICE(CARD_VENDOR, CARD_DEVICE) },
	{}
};
MODULE_DEVICE_TABLE(pci, card_pci_ids);

static struct pci_driver card_pci_driver = {
	.name = "ciphermill",
	.id_table = card_pci_ids,
	.probe = card_pci_probe,
	.remove = card_pci_remove,
	.driver.pm = &card_pci_pm,
	.err_handler = &card_pci_errors,
};

int card_pci_register(void)
{
	return pci_register_driver(&card_pci_driver);
}

void card_pci_unregister(void)
{
	pci_unregister_driver(&card_pci_driver);
}
