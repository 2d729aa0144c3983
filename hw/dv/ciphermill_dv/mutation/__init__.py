# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""Mutation of the RTL: do the benches notice when one operator is wrong?

- :mod:`.mutants`: which changes of one operator a file offers, and a source that holds many;
- :mod:`.record`: a pytest plugin that records which benches the tests of an IP run;
- :mod:`.campaign`: run the benches of IPs against chosen mutants and keep the results;
- :mod:`.report`: the table of survivors and the share that is caught.

``make mutants`` runs it; ``python -m ciphermill_dv.mutation --help`` lists the options.
"""
