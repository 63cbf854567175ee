"""The federated rounds of this course on Flower (arXiv:2007.14390), the engine people use. Needs the extra `flower`.

`dpcourse.federated` does the work; Flower carries the messages, between tasks on one machine or processes on many. The
client is the same `FederatedClient`, the server the same `FederatedServer`, so the weights come out the same, and ε is
our accountant's.

    python -m dpcourse.flower_app --engine simulation --rounds 3
    python -m dpcourse.flower_app --engine loopback --rounds 3
    python -m dpcourse.flower_app --secagg

The second starts a SuperLink and two SuperNodes on this machine and stops them again. Two commands take it to several,
with certificates where that one says ``--insecure``; the apps they carry are in `dpcourse.flower_app.apps`:

    flower-superlink --host 0.0.0.0 --ssl-certfile … --ssl-keyfile … --ssl-ca-certfile …      # once, at the server
    flower-supernode --superlink SERVER:8000 --root-certificates … --node-config partition-id=0   # in each fab

Every machine needs ``dpcourse[flower]`` installed; `flwr run` then starts the rounds. What stays out: Flower samples a
fixed number of clients, which is not the Poisson sample that amplification by sampling needs, so here all clients take
part in every round and ε is that of Gaussian noise without amplification.
"""
