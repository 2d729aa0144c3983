// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copyright Ciphermill contributors.
 *
 * The card on the bus of a system on a chip, from a device tree:
 *
 *	card@43c00000 {
 *		compatible = "ciphermill,card-1.0";
 *		reg = <0x43c00000 0x20000>;
 *		interrupts = <0 29 1>, <0 30 1>;
 *	};
 *
 * One interrupt for each ring, or fewer: ring n has interrupt n modulo their number. Each is a
 * rising edge (the last 1), since the card pulses.
 */

#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>

#include "card.h"

static void platform_isolate(struct device *device)
{
	dev_crit(device, "its access to memory cannot be taken away: switch the machine off\n");
}

static const struct card_bus card_platform_bus = { .isolate = platform_isolate };

static int request_interrupts(struct platform_device *platform, struct card *card)
{
	int count = platform_irq_count(platform);
	unsigned int ring;

	if (count <= 0)
		return dev_err_probe(&platform->dev, count ? count : -ENXIO,
				     "it has no interrupt\n");
	for (ring = 0; ring < card->ring_count; ring++) {
		int irq = platform_get_irq(platform, ring % count);
		int result = irq;

		if (irq >= 0)
			result = request_threaded_irq(irq, ring_interrupt, ring_interrupt_thread,
						      IRQF_ONESHOT | IRQF_SHARED, "ciphermill",
						      &card->rings[ring]);
		if (result) {
			while (ring--)
				free_irq(platform_get_irq(platform, ring % count),
					 &card->rings[ring]);
			return result;
		}
	}
	return 0;
}

static void free_interrupts(struct platform_device *platform, struct card *card)
{
	int count = platform_irq_count(platform);
	unsigned int ring;

	for (ring = 0; ring < card->ring_count; ring++)
		free_irq(platform_get_irq(platform, ring % count), &card->rings[ring]);
}

static void card_platform_end(void *data)
{
	struct platform_device *platform = data;
	struct card *card = platform_get_drvdata(platform);

	card_remove(card);
	free_interrupts(platform, card);
	card_destroy(card);
}

static int card_platform_probe(struct platform_device *platform)
{
	struct device *device = &platform->dev;
	struct resource *resource;
	void __iomem *registers;
	struct card *card;
	int result;

	registers = devm_platform_get_and_ioremap_resource(platform, 0, &resource);
	if (IS_ERR(registers))
		return PTR_ERR(registers);
	result = dma_set_mask_and_coherent(device, DMA_BIT_MASK(64));
	if (result)
		return dev_err_probe(device, result, "it has no DMA\n");
	dma_set_max_seg_size(device, U32_MAX);
	result = card_create(device, &card_platform_bus, registers, resource_size(resource), &card);
	if (result)
		return result;
	result = request_interrupts(platform, card);
	if (result)
		goto no_interrupts;
	platform_set_drvdata(platform, card);
	result = card_start(card);
	/* Kernels differ in what `remove` returns; this is the same in all. */
	if (!result)
		return devm_add_action_or_reset(device, card_platform_end, platform);
	card_remove(card);
	free_interrupts(platform, card);
no_interrupts:
	card_destroy(card);
	return result;
}

static int __maybe_unused card_platform_suspend(struct device *device)
{
	return card_suspend(dev_get_drvdata(device));
}

static int __maybe_unused card_platform_resume(struct device *device)
{
	return card_resume(dev_get_drvdata(device));
}

static SIMPLE_DEV_PM_OPS(card_platform_pm, card_platform_suspend, card_platform_resume);

static const struct of_device_id card_platform_ids[] = {
	{ .compatible = "ciphermill,card-1.0" },
	{}
};
MODULE_DEVICE_TABLE(of, card_platform_ids);

static struct platform_driver card_platform_driver = {
	.probe = card_platform_probe,
	.driver = {
		.name = "ciphermill-card",
		.of_match_table = card_platform_ids,
		.pm = &card_platform_pm,
	},
};

int card_platform_register(void)
{
	return platform_driver_register(&card_platform_driver);
}

void card_platform_unregister(void)
{
	platform_driver_unregister(&card_platform_driver);
}
