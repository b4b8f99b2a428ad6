"""Where methods were published."""

from __future__ import annotations

PAPERS = {
    "kmeans": "Lloyd (1982). Least squares quantization in PCM. IEEE Transactions on Information Theory 28(2), "
    "129–137. doi:10.1109/TIT.1982.1056489",
    "chinese_restaurant": "Ferguson (1973). A Bayesian analysis of some nonparametric problems. The Annals of "
    "Statistics 1(2), 209–230. doi:10.1214/aos/1176342360",
    "sticks": "Sethuraman (1994). A constructive definition of Dirichlet priors. Statistica Sinica 4, 639–650.",
    "mapdp": "Raykov, Boukouvalas, Baig & Little (2016). What to do when K-means clustering fails. PLoS ONE 11(9). "
    "doi:10.1371/journal.pone.0162259",
    "gibbs": "Neal (2000). Markov chain sampling methods for Dirichlet process mixture models. Journal of "
    "Computational and Graphical Statistics 9(2), 249–265. doi:10.1080/10618600.2000.10474879",
    "dpmeans": "Kulis & Jordan (2012). Revisiting K-means: new algorithms via Bayesian nonparametrics. ICML. "
    "doi:10.48550/arXiv.1111.0352",
    "powered": "Lu, Li & Dunson (2018). Reducing over-clustering via the powered Chinese restaurant process. "
    "doi:10.48550/arXiv.1802.05392",
    "mixture_of_finite_mixtures": "Miller & Harrison (2018). Mixture models with a prior on the number of components. "
    "Journal of the American Statistical Association 113(521), 340–356. doi:10.1080/01621459.2016.1255636",
    "coarsening": "Miller & Dunson (2019). Robust Bayesian inference via coarsening. Journal of the American "
    "Statistical Association 114(527), 1113–1125. doi:10.1080/01621459.2018.1469995",
    "pitman_yor": "Pitman & Yor (1997). The two-parameter Poisson–Dirichlet distribution derived from a stable "
    "subordinator. The Annals of Probability 25(2), 855–900. doi:10.1214/aop/1024404422",
}
"""By the names of algorithms, of partition priors, and of what else texts speak of."""
